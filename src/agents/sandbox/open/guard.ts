import { spawn } from 'node:child_process';
import { lackOfDescriptors } from '../../../platform/free-descriptors.ts';
import { withoutInherited } from '../../process/launch.ts';

export interface Guard {
  /** All is over in order: there is nothing left to end, and the guard goes. */
  release(): Promise<void>;
}

export interface Guarded {
  /** The first of its group and session. */
  readonly pid: number;
  /** The `NAME=value` that those it started carry, where one tells them from others. */
  readonly mark: string | null;
}

/**
 * Waits for a word, or for the end of the pipe that it would have come by. The pipe ends when Baton does, however it
 * ends; then the group is killed, and whoever else carries the mark: three times, for one that forks meanwhile.
 */
const WATCH = `read -r _ && exit 0
kill -KILL -- "-$1"
[ -n "$2" ] || exit 0
for round in 1 2 3; do
  for each in /proc/[0-9]*; do
    grep -qzxF -e "$2" "$each/environ" && kill -KILL "\${each#/proc/}"
  done
done`;

/** Ends a process that nothing holds, with all it started, should Baton itself be killed: the system would let them live. */
export function startGuard({ pid, mark }: Guarded): Guard {
  // Without a descriptor for it there is no guard: the next node's sweep is what remains.
  if (lackOfDescriptors(3) !== null) return { release: async () => {} };
  const stdio = withoutInherited(['pipe', 'ignore', 'ignore']);
  const words = ['-c', WATCH, 'sh', String(pid), mark ?? ''];
  // In a session of its own: what ends Baton by its terminal must not end this.
  const child = spawn('/bin/sh', words, { cwd: '/', env: { PATH: '/usr/bin:/bin' }, stdio, detached: true });
  const gone = new Promise<void>((resolve) => child.on('error', () => resolve()).once('close', () => resolve()));
  const { stdin } = child;
  stdin?.on('error', () => stdin.destroy());
  return {
    release: () => {
      stdin?.end('over\n');
      return gone;
    },
  };
}
