import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../../domain/repository.ts';
import type { GitPlace } from '../git.ts';
import { readSettings } from '../repository-settings.ts';
import type { PrivateRepository } from './private-repository.ts';

const SETTINGS = ['core.autocrlf', 'core.eol'];

/**
 * A private repository in which line ends are turned as the person's git does, by .gitattributes and settings: what is
 * merged with a commit of theirs must look like one. No filter is known in it, so none is run.
 */
export async function turningPlace(own: PrivateRepository, repository: Repository): Promise<GitPlace> {
  const folder = join(own.folder, 'turning');
  if (!existsSync(join(folder, 'HEAD'))) {
    for (const name of ['refs', 'objects']) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  }
  const theirs = await readSettings({ gitDir: repository.gitDir, workTree: repository.root });
  const set = SETTINGS.map((name) => [name, theirs.own.get(name) ?? theirs.global.get(name)] as const);
  const known = [['merge.renormalize', 'true'] as const, ...set].filter(([, value]) => value !== undefined);
  const env: Record<string, string | undefined> = { ...own.place.env, GIT_CONFIG_COUNT: String(known.length) };
  for (const [at, [name, value]] of known.entries()) {
    env[`GIT_CONFIG_KEY_${at}`] = name;
    env[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  return { gitDir: folder, workTree: own.folder, env };
}
