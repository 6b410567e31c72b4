import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentFacts } from '../domain/agent/agent.ts';
import { withoutEnd } from '../domain/words/without-end.ts';
import type { AgentNeeds, Launch } from './agent-driver.ts';

/** The hosts and places that the configuration names for an agent whose vendor Baton does not know. The rest of the home is empty. */
export function configuredNeeds(agent: AgentFacts, { HOME: home }: Launch['variables']): AgentNeeds {
  const { hosts = [], writes = [] } = agent;
  const whole = writes.map((path) => (home ? path.replace(/^~(?=\/)/, home) : path));
  return {
    hosts,
    readPaths: [],
    writePaths: whole.map(placeToWrite),
    privatePaths: home ? [home] : [],
  };
}

/** A place that does not exist yet will be a folder. */
function placeToWrite(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return `${withoutEnd(path, '/')}/`;
  return stats.isDirectory() ? join(path, '/') : path;
}
