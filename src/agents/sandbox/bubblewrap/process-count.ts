import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A cgroup that bounds the number of processes of a sandbox. */
export interface ProcessCount {
  /** False while the system still counts a process that has ended. */
  remove(): boolean;
}

const GROUPS = '/sys/fs/cgroup';
const OWN = 'baton-';
let made = 0;
let isSwept = false;

/**
 * Bounds the number of processes that a process and its descendants can be at once. Only root needs it, because
 * RLIMIT_NPROC does not bind root; null where cgroups cannot be created.
 */
export async function boundProcessCount(pid: number, processesMax: number): Promise<ProcessCount | null> {
  const parent = process.getuid?.() === 0 ? parentGroup() : null;
  if (parent === null) return null;
  if (!isSwept) sweep(parent);
  isSwept = true;
  const group = join(parent, `${OWN}${process.pid}-${++made}`);
  const remove = () => removeGroup(group);
  try {
    mkdirSync(group);
    if (!existsSync(join(group, 'pids.max'))) throw new Error('this cgroup does not count processes');
    await writeFile(join(group, 'pids.max'), String(processesMax));
    // Asynchronous: the system may take milliseconds to move a process.
    await writeFile(join(group, 'cgroup.procs'), String(pid));
    return { remove };
  } catch {
    // Containers mostly show cgroups read-only.
    remove();
    return null;
  }
}

/** The cgroup of this process that counts processes: of cgroup v1's pids controller, or of cgroup v2. */
function parentGroup(): string | null {
  if (process.platform !== 'linux' || !existsSync('/proc/self/cgroup')) return null;
  const text = readFileSync('/proc/self/cgroup', 'latin1');
  const own = /^\d+:pids:(.*)$/m.exec(text)?.[1];
  const shared = /^0::(.*)$/m.exec(text)?.[1];
  if (own !== undefined) return join(GROUPS, 'pids', own);
  return shared === undefined ? null : join(GROUPS, shared);
}

/** Removes the cgroups of a Baton that was killed. The system keeps one in use. */
function sweep(parent: string): void {
  for (const name of existsSync(parent) ? readdirSync(parent) : []) {
    const pid = name.startsWith(OWN) ? /^\d+/.exec(name.slice(OWN.length))?.[0] : undefined;
    if (pid !== undefined && !existsSync(join('/proc', pid))) removeGroup(join(parent, name));
  }
}

function removeGroup(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
