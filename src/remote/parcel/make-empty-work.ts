import { mkdirSync, realpathSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { removeWorktree } from '../../workspace/worktree/remove-worktree.ts';
import { makeUnpackedGitFolder } from './lay-out.ts';
import { freshFolder, isFolderName, type UnpackedFolder, unpackedFolder } from './unpacked-folder.ts';

/** The folder of a task that came without files: a repository of its own without a commit, so that nothing around it counts. */
export async function makeEmptyWork(dataFolder: string, name: string): Promise<UnpackedFolder | Refusal> {
  if (!isFolderName(name)) return refuse('invalid_argument', `${JSON.stringify(name)} is no name for a folder`);
  const root = join(unpackedFolder(dataFolder), name);
  const known = freshFolder(root);
  if (known !== null) return known;
  const draft = `${root}.new`;
  removeWorktree(root);
  makeFoldersIn(dataFolder, unpackedFolder(dataFolder));
  mkdirSync(draft, { mode: 0o700 });
  const about = { head: null, objectFormat: 'sha1', lineEnds: {}, identity: null, exclude: '' } as const;
  await makeUnpackedGitFolder({ gitDir: join(draft, '.git'), workTree: draft }, { folder: draft, ...about });
  renameSync(draft, root);
  const real = realpathSync(root);
  const made = { kind: 'unpacked', workspace: real, parcel: { digest: null, root: real }, has: [] } as const;
  replaceFile(`${root}.json`, JSON.stringify({ ...made, of: 'files' }));
  return made;
}
