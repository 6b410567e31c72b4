import { FAULT_STATUS } from './acknowledged.ts';
import { KilledFolder, type Played } from './kill-lives.ts';
import { attachStrace, type DiskCall, traceOf } from './strace.ts';

const LIVES = 4;

/** The calls of one play on files whose path fits, each by the number strace counts it by. */
export async function callsOn(call: DiskCall, path: RegExp): Promise<number[]> {
  const folder = new KilledFolder();
  await folder.play({ seed: 1, lives: 1 });
  const trace = await traceOf((watch) => folder.play({ seed: 2, lives: LIVES, watch }));
  const own = trace.filter((line) => new RegExp(`^\\d+\\s+${call}\\(`).test(line));
  const main = own[0]?.split(' ')[0];
  return own.filter((line) => line.startsWith(`${main} `)).flatMap((line, at) => (path.test(line) ? [at + 1] : []));
}

export interface Failed extends Played {
  readonly findings: readonly string[];
  /** Did the process end because the ledger said so, or because it could not be opened? */
  readonly hasStopped: boolean;
}

/** One play in which one call fails; then the folder is looked at. */
export async function failOnce(call: DiskCall, when: number, error: 'EIO' | 'ENOSPC'): Promise<Failed> {
  const folder = new KilledFolder();
  await folder.play({ seed: 1, lives: 1 });
  const inject = `inject=${call}:error=${error}:when=${when}`;
  const watch = (pid: number) => attachStrace(pid, ['-o', '/dev/null', '-e', inject]);
  const played = await folder.play({ seed: 2, lives: LIVES, watch });
  const findings = [...(await folder.findings()), ...(await folder.treeFindings())];
  return { ...played, findings, hasStopped: played.status === FAULT_STATUS || played.status === 1 };
}
