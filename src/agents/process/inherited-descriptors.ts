import type { IOType } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import type { Stream } from 'node:stream';

const CLOSE_ON_EXEC = 0o2000000;

type Stdio = IOType | Stream | number | null | undefined;

let blanked: readonly number[] | null = null;
let blank = -1;

/**
 * What whoever started this process left open would reach every process that it starts. Node closes its own; the
 * others, which do not change while it runs, are given as an empty file.
 */
export function withoutInherited(stdio: readonly Stdio[]): Stdio[] {
  blanked ??= findInherited();
  const all = [...stdio];
  for (const fd of blanked) {
    if (fd < stdio.length) continue;
    while (all.length < fd) all.push('ignore');
    all[fd] = blank;
  }
  return all;
}

function findInherited(): number[] {
  if (process.platform !== 'linux') return [];
  const inherited = readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > 2 && isInherited(fd));
  if (inherited.length > 0) blank = openSync('/dev/null', 'r');
  return inherited;
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // Closed since.
    return false;
  }
}
