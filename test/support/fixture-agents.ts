import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The folder of the programs that play agents, one room a subject. */
export const AGENTS = join(import.meta.dirname, '..', 'fixtures', 'agents');

const programs = new Map(
  readdirSync(AGENTS, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.mjs') && basename(path) !== 'wire.mjs')
    .map((path) => [basename(path, '.mjs'), join(AGENTS, path)]),
);

/** Every behaviour that a fixture plays. */
export const BEHAVIOURS: readonly string[] = [...programs.keys()].sort();

/** The program of a behaviour, whatever room it is in. */
export function programOf(behaviour: string): string {
  const program = programs.get(behaviour);
  if (program === undefined) throw new Error(`no program of test/fixtures/agents is called ${behaviour}.mjs`);
  return program;
}
