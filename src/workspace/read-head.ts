import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GIT_TEXT_BYTES_MAX, SYMBOLIC_REFS_MAX } from '../domain/limits.ts';
import type { Repository } from '../domain/work/repository.ts';
import { readPlainFile } from './files/read-plain-file.ts';
import { gitLine } from './git.ts';

const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const SYMBOLIC = /^ref: (refs\/\S+)$/;

/**
 * The commit that HEAD names, or null. Read without git, which would wait on a pipe that an agent put at one of these
 * paths; only refs in another format are read by git.
 */
export async function readHead(repository: Repository): Promise<string | null> {
  if (existsSync(join(repository.commonDir, 'reftable'))) return askGit(repository);
  let text = readPlainFile(join(repository.gitDir, 'HEAD'), GIT_TEXT_BYTES_MAX)?.trim() ?? '';
  for (let links = 0; links < SYMBOLIC_REFS_MAX; links++) {
    const ref = SYMBOLIC.exec(text)?.[1];
    if (ref === undefined) return COMMIT.test(text) ? text : null;
    text = readRef(repository, ref);
  }
  return null;
}

/** The content of a ref, from its own file or from packed-refs. Empty where there is none. */
function readRef({ commonDir }: Repository, ref: string): string {
  if (ref.split('/').includes('..')) return '';
  const own = readPlainFile(join(commonDir, ref), GIT_TEXT_BYTES_MAX);
  if (own !== null) return own.trim();
  const list = readPlainFile(join(commonDir, 'packed-refs'), GIT_TEXT_BYTES_MAX) ?? '';
  const at = list.indexOf(` ${ref}\n`);
  return at === -1 ? '' : list.slice(list.lastIndexOf('\n', at) + 1, at);
}

async function askGit({ gitDir, root }: Repository): Promise<string | null> {
  const args = ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'];
  return (await gitLine({ gitDir, workTree: root }, { args, exitCodes: [0, 1, 128] })) || null;
}
