import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Cgroups that bound what all processes of a sandbox use together. */
export interface ResourceGroup {
  holds(pid: number): boolean;
  /** Moves a process to the group; its descendants until now stay where they are. */
  add(pid: number): Promise<void>;
  /** False while the system still counts a process that has ended. */
  remove(): boolean;
}

export interface ResourceBounds {
  readonly processesMax: number;
  /** All processes together, with shared memory and private folders such as /tmp, which no limit of a process counts. */
  readonly memoryBytesMax: number;
}

/** With a hierarchy of its own it is a controller of cgroup v1; in v2 all controllers share one. */
interface Controller {
  readonly name: 'pids' | 'memory';
  files(isOwn: boolean): Readonly<Record<string, number>>;
}

const GROUPS = '/sys/fs/cgroup';
const OWN = 'baton-';
let made = 0;
const swept = new Set<string>();

/**
 * Bounds a process and its descendants. Only root may create cgroups on most machines, and only root needs one for the
 * number of processes, because RLIMIT_NPROC does not bind root. Null where no cgroup can be created.
 */
export async function boundResources(pid: number, bounds: ResourceBounds): Promise<ResourceGroup | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/proc/self/cgroup')) return null;
  const own = `${OWN}${process.pid}-${++made}`;
  const joined = await Promise.all(
    [...filesByParent(controllersOf(bounds))].map(([parent, files]) => joinGroup(join(parent, own), files, pid)),
  );
  const groups = joined.filter((group) => group !== null);
  // All of them, even if an early one cannot go yet.
  return groups.length === 0
    ? null
    : {
        holds: (other) => namesOfGroups(other).filter((name) => name.endsWith(`/${own}`)).length === groups.length,
        add: async (other) => void (await Promise.all(groups.map((group) => moveTo(group, other)))),
        remove: () => groups.map(removeGroup).every(Boolean),
      };
}

/** One for each hierarchy. */
function namesOfGroups(pid: number): string[] {
  return readFileSync(`/proc/${pid}/cgroup`, 'latin1').trimEnd().split('\n');
}

/** Asynchronous: the system may take milliseconds to move a process. */
async function moveTo(group: string, pid: number): Promise<void> {
  await writeFile(join(group, 'cgroup.procs'), String(pid));
}

function controllersOf({ processesMax, memoryBytesMax }: ResourceBounds): Controller[] {
  return [
    { name: 'pids', files: () => ({ 'pids.max': processesMax }) },
    {
      name: 'memory',
      files: (isOwn): Record<string, number> =>
        isOwn
          ? { 'memory.limit_in_bytes': memoryBytesMax, 'memory.memsw.limit_in_bytes': memoryBytesMax }
          : { 'memory.max': memoryBytesMax, 'memory.swap.max': 0 },
    },
  ];
}

/** The cgroups of this process, below which new ones are made, and the files to write in each new one. */
function filesByParent(controllers: readonly Controller[]): Map<string, Record<string, number>> {
  const text = readFileSync('/proc/self/cgroup', 'latin1');
  const shared = /^0::(.*)$/m.exec(text)?.[1];
  const found = new Map<string, Record<string, number>>();
  for (const { name, files } of controllers) {
    const own = new RegExp(`^\\d+:${name}:(.*)$`, 'm').exec(text)?.[1];
    if (own === undefined && shared === undefined) continue;
    const parent = own === undefined ? join(GROUPS, shared ?? '') : join(GROUPS, name, own);
    found.set(parent, { ...found.get(parent), ...files(own !== undefined) });
  }
  return found;
}

/** Null where containers show cgroups read-only, or a cgroup has none of these controllers. */
async function joinGroup(group: string, files: Readonly<Record<string, number>>, pid: number): Promise<string | null> {
  const parent = dirname(group);
  if (!swept.has(parent)) sweep(parent);
  swept.add(parent);
  try {
    mkdirSync(group);
    const present = Object.entries(files).filter(([file]) => existsSync(join(group, file)));
    if (present.length === 0) throw new Error('this cgroup bounds nothing');
    for (const [file, value] of present) await writeFile(join(group, file), String(value));
    await moveTo(group, pid);
    return group;
  } catch {
    removeGroup(group);
    return null;
  }
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
