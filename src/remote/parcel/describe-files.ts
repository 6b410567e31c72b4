import { join, relative } from 'node:path';
import { GIT_TEXT_BYTES_MAX } from '../../domain/limits.ts';
import { readPlainFile } from '../../workspace/files/read-plain-file.ts';
import { readRepositorySettings } from '../../workspace/repository-settings.ts';
import { realPathOf } from '../../workspace/resolve-path.ts';
import type { ShadowPlace } from '../../workspace/shadow/private-repository.ts';
import type { Shadow } from '../../workspace/shadow/take-shadow.ts';
import { userIdentity } from '../../workspace/user-identity.ts';
import { EXCLUDE_BYTES_MAX, LINE_END_SETTINGS, LINE_END_VALUE, type WorkMeta } from './work-meta.ts';

interface WorkQuestion {
  readonly place: ShadowPlace;
  readonly workspaceRoot: string;
  /** Absent where the folder is in git. */
  readonly inputs?: readonly string[];
}

/** Describes the files of a workspace as far as their commit cannot. */
export async function describeFiles({ place, workspaceRoot, inputs }: WorkQuestion, shadow: Shadow): Promise<WorkMeta> {
  const { repository } = place;
  const settings = await readRepositorySettings({ gitDir: repository.gitDir, workTree: repository.root });
  const lineEnds = LINE_END_SETTINGS.flatMap((name) => {
    const value = settings.own.get(`core.${name}`) ?? settings.global.get(`core.${name}`) ?? '';
    return LINE_END_VALUE.test(value) ? [[name, value]] : [];
  });
  const rules = join(repository.commonDir, 'info', 'exclude');
  // Those of a folder without git are Baton's own, and say what travels.
  const exclude = inputs === undefined ? (readPlainFile(rules, GIT_TEXT_BYTES_MAX) ?? '') : '';
  return {
    folder: relative(place.root, realPathOf(workspaceRoot, '/') ?? workspaceRoot),
    modes: shadow.modes.other,
    emptyFolders: shadow.unrecorded?.emptyFolders ?? [],
    exclude: exclude.length > EXCLUDE_BYTES_MAX ? '' : exclude,
    lineEnds: Object.fromEntries(lineEnds),
    identity: await userIdentity(repository),
  };
}
