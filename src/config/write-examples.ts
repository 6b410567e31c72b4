import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../platform/durable-files.ts';

const CONFIG = `# Settings of this data folder. Later wins: built in, ~/.config/baton/config.yaml, baton.yaml at the git root, this
# file, BATON_… variables, flags. Everything here is an example; take the # away from what you want to use.

# default_agent: emma

# agents:
#   emma:    { driver: codex,    role: developer }
#   magneto: { driver: claude,   role: architect }
#   forge:   { driver: gemini,   role: researcher }
#   critic:  { driver: opencode, role: reviewer }
#   tester:  { driver: process,  command: [node, tools/tester.mjs], role: reviewer }

# checks: ["npm test"]
# allow_shell: true   # a check may have pipes and variables: a shell reads it

# network: { restricted: [npm, github] }

# budgets: { run_usd: 5, day_usd: 50 }
`;

const EXAMPLES: Readonly<Record<string, string>> = { 'config.yaml': CONFIG, '.gitignore': '*\n' };

/** Writes commented examples into a new data folder; existing files stay. Returns the names it wrote. */
export function writeExamples(folder: string): readonly string[] {
  const missing = Object.entries(EXAMPLES).filter(([name]) => !existsSync(join(folder, name)));
  for (const [name, text] of missing) replaceFile(join(folder, name), text);
  return missing.map(([name]) => name);
}
