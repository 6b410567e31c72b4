import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FileChange } from './diff-shadows.ts';
import { type StagedVersion, type Staging, stageFiles } from './files/staging.ts';
import { git, splitAtNul } from './git.ts';
import type { PrivateRepository } from './shadow/private-repository.ts';

const TAB = 0x09;

interface Removals {
  readonly before: string;
  readonly changes: readonly FileChange[];
}

/** Files to remove that were ignored by the rules from before the run, which may have changed them. */
export async function ignoredBefore(
  own: PrivateRepository,
  staging: Staging,
  { before, changes }: Removals,
): Promise<Set<string>> {
  const removals = changes.filter(({ after }) => !after).map(({ name }) => name);
  if (removals.length === 0 || !changes.some(({ path }) => /(^|\/)\.gitignore$/.test(path))) return new Set();
  const rules = join(staging.folder, 'rules');
  mkdirSync(rules);
  await stageFiles(own, { folder: staging.folder, files: rules }, await ruleFiles(own, before));
  // Without a mark before it a name may be taken for a pattern, and this command does not know of literal ones.
  const input = Buffer.concat(removals.flatMap((name) => [Buffer.from('./'), name, Buffer.from([0])]));
  const call = { args: ['check-ignore', '--no-index', '-z', '--stdin'], input, exitCodes: [0, 1] };
  const env = { ...own.place.env, GIT_LITERAL_PATHSPECS: undefined };
  const { stdout } = await git({ ...own.place, workTree: rules, env }, call);
  return new Set([...splitAtNul(stdout)].map((name) => name.subarray(2).toString()));
}

async function ruleFiles(own: PrivateRepository, commit: string): Promise<readonly StagedVersion[]> {
  const { stdout } = await git(own.place, { args: ['ls-tree', '-r', '-z', '--full-tree', commit] });
  return [...splitAtNul(stdout)].flatMap((line) => {
    const name = line.subarray(line.indexOf(TAB) + 1);
    const [mode = '', , object = ''] = line.toString('latin1', 0, line.indexOf(TAB)).split(' ');
    return /(^|\/)\.gitignore$/.test(name.toString('latin1')) ? [{ name, mode, object }] : [];
  });
}
