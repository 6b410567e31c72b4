import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How many processes a sandbox has at once, bounded. */
export interface ProcessCount {
  /** False while the system has still to notice that one of them has ended. */
  remove(): boolean;
}

const GROUPS = '/sys/fs/cgroup';
const OWN = 'baton-';
let made = 0;
let isSwept = false;

/**
 * Bounds what a process and all that it starts can be at once. Only root needs it, whose processes the system's own limit
 * does not count; null where the machine lets nobody make a group for it.
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
    if (!existsSync(join(group, 'pids.max'))) throw new Error('processes are not counted here');
    await writeFile(join(group, 'pids.max'), String(processesMax));
    // The system may take milliseconds to move a process.
    await writeFile(join(group, 'cgroup.procs'), String(pid));
    return { remove };
  } catch {
    // In a container, mostly: groups are there to be seen and not to be made.
    remove();
    return null;
  }
}

/** The group of this process that counts processes: its own kind of tree, or the one of all. */
function parentGroup(): string | null {
  if (process.platform !== 'linux' || !existsSync('/proc/self/cgroup')) return null;
  const text = readFileSync('/proc/self/cgroup', 'latin1');
  const own = /^\d+:pids:(.*)$/m.exec(text)?.[1];
  const shared = /^0::(.*)$/m.exec(text)?.[1];
  if (own !== undefined) return join(GROUPS, 'pids', own);
  return shared === undefined ? null : join(GROUPS, shared);
}

/** Those of a Baton that was killed. One that is in use cannot be removed. */
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
