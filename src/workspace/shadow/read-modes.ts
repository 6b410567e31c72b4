import { join } from 'node:path';
import { GIT_TEXT_BYTES_MAX } from '../../domain/limits.ts';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { type FileModes, readFileModes } from '../files/file-modes.ts';
import { readPlainFile } from '../files/read-plain-file.ts';
import { freshEntries } from './index-entries.ts';
import type { PrivateRepository } from './private-repository.ts';
import { inspectFiles, type WorkFile } from './work-file.ts';

interface KnownModes extends FileModes {
  /** Files that have not changed since this second still have their known mode. */
  readonly asOfSeconds: number;
}

const EXECUTABLE = 0o111;

export interface ModeSources {
  /** Files that were inspected for this shadow. */
  readonly files: readonly WorkFile[];
  /** All files of the index, inspected since `nowSeconds`; null where the known modes are enough. */
  readonly first: readonly WorkFile[] | null;
  /** The index; null where it has not changed since the last time. */
  readonly index: Buffer | null;
  readonly nowSeconds: number;
}

/**
 * Updates the known modes of all files. Only files that changed since the last time are inspected: a change of permissions
 * changes the time that git's index holds.
 */
export function readModes(own: PrivateRepository, { files, first, index, nowSeconds }: ModeSources): FileModes {
  const known = first === null ? knownModes(own) : null;
  // A file that changed while the first ones were inspected is inspected again: the index may hold its newer time.
  const sinceSeconds = known?.asOfSeconds ?? (first === null ? 0 : nowSeconds);
  const inspected = index === null ? [] : inspectSince(own, index, sinceSeconds);
  const found = [...(first ?? []), ...inspected, ...files].filter(
    ({ kind }) => kind === 'file' || kind === 'unreadable',
  );
  const usual = known?.usual ?? usualOf(found.map(({ rights }) => rights));
  const other = new Map(Object.entries(known?.other ?? {}));
  for (const { name, rights } of found) {
    if (rights === usualFor(usual, rights)) other.delete(name.toString('latin1'));
    else other.set(name.toString('latin1'), rights);
  }
  const modes: KnownModes = { usual, other: Object.fromEntries(other), asOfSeconds: nowSeconds };
  replaceFile(modesFile(own), JSON.stringify(modes), { isSynced: false });
  return modes;
}

/**
 * Inspects all files of the index where no modes are known yet; else null. This takes as long as the first `git status`, and
 * is done while git works.
 */
export function inspectFirst(own: PrivateRepository, readIndex: () => Buffer | null): readonly WorkFile[] | null {
  const index = knownModes(own) === null ? readIndex() : null;
  return index && inspectSince(own, index, 0);
}

function inspectSince(own: PrivateRepository, index: Buffer, sinceSeconds: number): readonly WorkFile[] {
  const names = freshEntries(index, sinceSeconds, own.objectBytes).map(({ name }) => name);
  return [...inspectFiles(own.place.workTree, names, { findsUnreadable: false })];
}

function usualFor({ plain, executable }: FileModes['usual'], mode: number): number {
  return (mode & EXECUTABLE) === 0 ? plain : executable;
}

/** The most frequent ones. */
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

function modesFile(own: PrivateRepository): string {
  return join(own.folder, 'modes.json');
}

function knownModes(own: PrivateRepository): KnownModes | null {
  const modes = readFileModes<KnownModes>(readPlainFile(modesFile(own), GIT_TEXT_BYTES_MAX));
  return typeof modes?.asOfSeconds === 'number' ? modes : null;
}
