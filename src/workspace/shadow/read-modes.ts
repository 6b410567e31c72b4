import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GIT_TEXT_BYTES_MAX } from '../../domain/limits.ts';
import type { FileModes } from '../files/file-modes.ts';
import { inFolderOf } from '../files/held-folder.ts';
import { readPlainFile } from '../files/read-plain-file.ts';
import { freshEntries } from './fresh-entries.ts';
import type { PrivateRepository } from './private-repository.ts';

interface KeptModes extends FileModes {
  /** Files that were not changed since have the mode that is known of them. */
  readonly asOfSeconds: number;
}

const EXECUTABLE = 0o111;
const RIGHTS = 0o7777;
/** Version 2, no entries. */
const NO_INDEX = Buffer.from('DIRC\0\0\0\x02\0\0\0\0', 'latin1');

/**
 * Brings what is known of the modes of all files up to date, from an index that was just brought up to date itself. Only
 * files that changed since the last time are looked at: a change of rights is one.
 */
export function readModes(
  own: PrivateRepository,
  { nowSeconds, objectBytes }: { nowSeconds: number; objectBytes: number },
): FileModes {
  const known = keptModes(own);
  const index = existsSync(own.indexFile) ? readFileSync(own.indexFile) : NO_INDEX;
  const found = freshEntries(index, known?.asOfSeconds ?? 0, objectBytes).flatMap(({ name }) => modeOf(own, name));
  const usual = known?.usual ?? usualOf(found.map(([, mode]) => mode));
  const other = new Map(Object.entries(known?.other ?? {}));
  for (const [name, mode] of found) {
    if (mode === usualFor(usual, mode)) other.delete(name);
    else other.set(name, mode);
  }
  const modes: KeptModes = { usual, other: Object.fromEntries(other), asOfSeconds: nowSeconds };
  writeFileSync(keptFile(own), JSON.stringify(modes), { mode: 0o600 });
  return modes;
}

function usualFor({ plain, executable }: FileModes['usual'], mode: number): number {
  return (mode & EXECUTABLE) === 0 ? plain : executable;
}

/** What most of them have. */
function usualOf(modes: readonly number[]): FileModes['usual'] {
  const most = (isWanted: (mode: number) => boolean, without: number) => {
    const counts = new Map<number, number>();
    for (const mode of modes.filter(isWanted)) counts.set(mode, (counts.get(mode) ?? 0) + 1);
    return [...counts].sort(([, one], [, two]) => two - one)[0]?.[0] ?? without;
  };
  return {
    plain: most((mode) => (mode & EXECUTABLE) === 0, 0o644),
    executable: most((mode) => (mode & EXECUTABLE) !== 0, 0o755),
  };
}

function modeOf(own: PrivateRepository, name: Buffer): [string, number][] {
  const stats = inFolderOf(own.place.workTree, name, {
    isMade: false,
    do: (folder, last) => lstatSync(folder.at(last), { throwIfNoEntry: false }),
  });
  return stats?.isFile() ? [[name.toString('latin1'), stats.mode & RIGHTS]] : [];
}

function keptFile(own: PrivateRepository): string {
  return join(own.folder, 'modes.json');
}

function keptModes(own: PrivateRepository): KeptModes | null {
  const text = readPlainFile(keptFile(own), GIT_TEXT_BYTES_MAX);
  return text === null ? null : (JSON.parse(text) as KeptModes);
}
