import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../platform/files/durable-files.ts';

const HEAD = `# Settings of this data folder. Later wins: built in, ~/.config/baton/config.yaml, baton.yaml at the git root, this
# file, BATON_… variables, flags. Everything here is an example; take the # away from what you want to use.
`;

const TAIL = `# checks: ["npm test"]
# allow_shell: true   # a check may have pipes and variables: a shell reads it

# network: { restricted: [npm, github] }

# budgets: { run_usd: 5 }
`;

/** One example for each driver that a person configures; demo needs no entry. */
const AGENTS = [
  { driver: 'codex', name: 'emma', text: 'emma:    { driver: codex,    role: developer }' },
  { driver: 'claude', name: 'magneto', text: 'magneto: { driver: claude,   role: architect }' },
  { driver: 'gemini', name: 'forge', text: 'forge:   { driver: gemini,   role: researcher }' },
  { driver: 'opencode', name: 'critic', text: 'critic:  { driver: opencode, role: reviewer }' },
  { driver: 'acp', name: 'zed', text: 'zed:     { driver: acp,      command: [my-acp-agent], role: developer }' },
  {
    driver: 'process',
    name: 'tester',
    text: 'tester:  { driver: process,  command: [node, tools/tester.mjs], role: reviewer }',
  },
] as const;

/** Only drivers that this Baton has: an example that cannot work costs its reader an hour. */
function configText(drivers: readonly string[]): string {
  const agents = AGENTS.filter(({ driver }) => drivers.includes(driver));
  return [
    HEAD,
    `# default_agent: ${agents[0]?.name ?? 'demo'}\n`,
    ['# agents:', ...agents.map(({ text }) => `#   ${text}`), ''].join('\n'),
    TAIL,
  ].join('\n');
}

/** Writes commented examples into a new data folder; existing files stay. Returns the names it wrote. */
export function writeExamples(folder: string, drivers: readonly string[]): readonly string[] {
  const examples = { 'config.yaml': configText(drivers), '.gitignore': '*\n' };
  const missing = Object.entries(examples).filter(([name]) => !existsSync(join(folder, name)));
  for (const [name, text] of missing) replaceFile(join(folder, name), text);
  return missing.map(([name]) => name);
}
