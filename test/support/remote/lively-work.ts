import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, TestRepository } from '../test-repository.ts';
import type { Journey, ParcelStage } from './parcel-stage.ts';

const COMMIT = 'git add -A && git -c user.name=agent -c user.email=agent@x commit -q -m';
/** Changes files of every kind, commits twice and leaves one file uncommitted. */
export const LIVELY_SCRIPT = [
  'printf "changed\\r\\n" > readme.md',
  'rm gone',
  'mv moved elsewhere',
  'printf "\\000\\001\\377" > bin',
  'chmod +x plain',
  'ln -s readme.md new-link',
  'rm link && echo "a file now" > link',
  'mkdir -p a/new && echo x > "a/new/ü b"',
  'rm -r folder && echo "a file now" > folder',
  'rm was && mkdir was && echo z > was/inner',
  'mkdir empty-there',
  'echo ignored > x.log',
  `${COMMIT} first`,
  'echo second > second',
  `${COMMIT} second`,
  'echo more > after-commit',
].join('\n');

/** A repository with something of everything, dirty. */
export function lively(): TestRepository {
  const repository = new TestRepository();
  for (const name of ['gone', 'plain', 'was', 'folder/inner', 'theirs']) repository.write(name, `${name}\n`);
  repository.write('moved', 'line\n'.repeat(30));
  repository.write('.gitignore', '*.log\n');
  symlinkSync('plain', join(repository.root, 'link'));
  repository.commit('everything');
  repository.write('untracked', 'untracked\n');
  return repository;
}

const CHECKED = { type: 'FILE', path: 'after-commit', description: 'it' };

/** The repository sent to the other node and worked on there, with one check. */
export function travelled(stage: ParcelStage, repository: TestRepository, objective = LIVELY_SCRIPT): Promise<Journey> {
  return stage.there(repository.root, 'runs-a-script', { task: { objective, expected_outputs: [CHECKED] } });
}

/** The files that the other node left, but for what git ignores. */
export function filesThere({ workspace }: Journey): Record<string, string> {
  const files = filesBelow(workspace, '', /(^|\/)\.git$/);
  delete files['x.log'];
  return files;
}
