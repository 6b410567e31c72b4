import { readFileSync } from 'node:fs';
import { isWithin } from '../../../domain/path-text.ts';
import type { Mount } from './mount.ts';

/**
 * Sockets that others of this machine listen on, in folders that are shown: a read-only folder does not keep a process
 * from talking to them. They are there, and nobody answers.
 */
export function hostSocketMounts(shown: readonly { readonly from: string; readonly at: string }[]): Mount[] {
  const paths = new Set(listenedPaths());
  return [...paths].flatMap((path) =>
    shown
      .filter(({ from }) => isWithin(from, path))
      .map(({ from, at }): Mount => ({ kind: 'blank', at: at + path.slice(from.length) })),
  );
}

function listenedPaths(): string[] {
  const table = readFileSync('/proc/net/unix', 'utf8');
  return table.split('\n').flatMap((line) => /^\S+: \S+ \S+ \S+ \S+ \S+ +\d+ (\/.+)$/.exec(line)?.[1] ?? []);
}
