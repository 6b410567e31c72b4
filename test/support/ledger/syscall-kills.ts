import { randomOf, SEED } from '../seed.ts';
import { KilledFolder } from './kill-lives.ts';
import { ANSWER, attachStrace, countCalls, DISK_CALLS, type DiskCall, traceOf } from './strace.ts';

/** A folder is played in this often before the next one is begun. */
const KILLS_A_FOLDER = 25;
const LIVES = 7;

export interface SyscallPoint {
  readonly call: DiskCall;
  /** The how-manieth such call of a thread. */
  readonly when: number;
  /** In a folder that is not there yet, while the ledger is made. */
  readonly isFirst: boolean;
}

/** Every call that changes the disk: until the first answer of a new folder, and of a whole play in one that is in use. */
export async function enumeratePoints(): Promise<SyscallPoint[]> {
  const play = (folder: KilledFolder) => traceOf((watch) => folder.play({ seed: 1, lives: LIVES, watch }));
  const used = new KilledFolder();
  // The first play also fills the compile cache, which is no part of Baton.
  await used.play({ seed: 0, lives: LIVES });
  const making = await play(new KilledFolder());
  const firstAnswer = making.findIndex((line) => ANSWER.test(line));
  return [...pointsOf(making.slice(0, firstAnswer), true), ...pointsOf(await play(used), false)];
}

function pointsOf(trace: readonly string[], isFirst: boolean): SyscallPoint[] {
  const counts = countCalls(trace);
  return DISK_CALLS.flatMap((call) =>
    Array.from({ length: counts.get(call) ?? 0 }, (_, at) => ({ call, when: at + 1, isFirst })),
  );
}

/** As many of them as asked for, the same for the same seed. */
export function drawPoints(points: readonly SyscallPoint[], count: number): SyscallPoint[] {
  const random = randomOf(SEED, count);
  const left = [...points];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random(left.length), 1)[0]).filter(
    (point) => point !== undefined,
  );
}

export interface Killed {
  /** How many points were got to. */
  readonly kills: number;
  readonly findings: readonly string[];
}

/** Kills a play at each point, one after the other, and looks after each; the tree is compared as each folder ends. */
export async function killAtPoints(points: readonly SyscallPoint[]): Promise<Killed> {
  const first = await killAll(
    points.filter(({ isFirst }) => isFirst),
    1,
  );
  const later = await killAll(
    points.filter(({ isFirst }) => !isFirst),
    KILLS_A_FOLDER,
  );
  return { kills: first.kills + later.kills, findings: [...first.findings, ...later.findings] };
}

async function killAll(points: readonly SyscallPoint[], killsAFolder: number): Promise<Killed> {
  const findings: string[] = [];
  let [kills, folder] = [0, new KilledFolder()];
  for (const [at, point] of points.entries()) {
    const isNew = at % killsAFolder === 0;
    if (isNew) folder = new KilledFolder();
    if (isNew && !point.isFirst) await folder.play({ seed: 0, lives: LIVES });
    const { signal, status, stderr } = await killOnce(folder, point, at + 1);
    if (signal === 'SIGKILL') kills++;
    const isLast = (at + 1) % killsAFolder === 0 || at + 1 === points.length;
    const found = [
      ...(signal === 'SIGKILL' || status === 0 ? [] : [`ended with ${status} ${stderr}`]),
      ...(await folder.findings()),
      ...(isLast ? await folder.treeFindings() : []),
    ];
    findings.push(...found.map((finding) => `${point.call} ${point.when}: ${finding}`));
  }
  return { kills, findings };
}

async function killOnce(folder: KilledFolder, { call, when }: SyscallPoint, seed: number) {
  const inject = `inject=${call}:signal=KILL:when=${when}`;
  const watch = (pid: number) => attachStrace(pid, ['-o', '/dev/null', '-e', inject]);
  return await folder.play({ seed, lives: LIVES, watch });
}
