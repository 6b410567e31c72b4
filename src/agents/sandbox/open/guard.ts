import { spawn } from 'node:child_process';
import { lackOfDescriptors } from '../../../platform/process/machine-limits.ts';
import { withoutInherited } from '../../process/spawn-process.ts';

export interface Guard {
  /** The process ended in order: the guard exits without killing anything. */
  release(): Promise<void>;
}

export interface GuardedProcess {
  /** Leader of its process group and session. */
  readonly pid: number;
  /** The `NAME=value` that only its descendants carry in their environment; null if there is none. */
  readonly mark: string | null;
}

/**
 * Waits for a line on stdin or for its end. The pipe ends when Baton does, also after a kill -9; then the guard kills the
 * process group and every process that carries the mark, three times over in case one forks meanwhile.
 */
const WATCH = `read -r _ && exit 0
kill -KILL -- "-$1"
[ -n "$2" ] || exit 0
for round in 1 2 3; do
  for each in /proc/[0-9]*; do
    grep -qzxF -e "$2" "$each/environ" && kill -KILL "\${each#/proc/}"
  done
done`;

/** Starts a small process that kills an unsandboxed process and its descendants if Baton itself is killed. */
export function startGuard({ pid, mark }: GuardedProcess): Guard {
  // Out of descriptors there is no guard; the next node's sweep ends what remains.
  if (lackOfDescriptors(3) !== null) return { release: async () => {} };
  const stdio = withoutInherited(['pipe', 'ignore', 'ignore']);
  const words = ['-c', WATCH, 'sh', String(pid), mark ?? ''];
  // In a session of its own: a signal of Baton's terminal must not end it.
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
