import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, splitAtNul } from '../git.ts';
import type { Basis } from './object-store.ts';
import type { PrivateRepository } from './private-repository.ts';

const SLASH = 0x2f;
const BLANK = 0x20;
/** Of a line of `git status`: what kind it is, and where it says how the file differs from the index. */
const TRACKED = 0x31;
const UNTRACKED = 0x3f;
const UNSTAGED_AT = 3;
const SAME = 0x2e;
const FIELDS_BEFORE_NAME = 8;

/**
 * Files that are not as in the index, which is that of the basis, and files that it does not have. What was found to be the
 * same in spite of its times is written down, so that it need not be read again. The content of a submodule is its own
 * repository's matter, and so is that of a nested repository, which is told as a folder.
 */
export async function differingNames(own: PrivateRepository, basis: Basis | null) {
  writeFileSync(join(own.folder, 'HEAD'), basis ? `${basis.commit}\n` : 'ref: refs/heads/none\n', { mode: 0o600 });
  const args = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=all'];
  const { stdout } = await git(own.place, { args, env: { GIT_OPTIONAL_LOCKS: '1' } });
  const changed: Buffer[] = [];
  const added: Buffer[] = [];
  for (const line of splitAtNul(stdout)) {
    if (line[0] === TRACKED && line[UNSTAGED_AT] !== SAME) changed.push(line.subarray(nameAt(line)));
    else if (line[0] === UNTRACKED && line.at(-1) !== SLASH) added.push(line.subarray(2));
  }
  return { changed, added };
}

/** After eight fields. */
function nameAt(line: Buffer): number {
  let at = 0;
  for (let field = 0; field < FIELDS_BEFORE_NAME; field++) at = line.indexOf(BLANK, at) + 1;
  return at;
}
