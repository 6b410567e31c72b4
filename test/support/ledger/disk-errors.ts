import assert from 'node:assert/strict';
import { FAULT_STATUS } from './acknowledged.ts';
import { KilledFolder, type Played } from './kill-lives.ts';
import { type DiskCall, traceOf } from './strace.ts';

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
  /** Every call to the disk; the one that failed says so. */
  readonly trace: readonly string[];
}

/** One play in which one call fails; then the folder is looked at. */
export async function failOnce(call: DiskCall, when: number, error: 'EIO' | 'ENOSPC'): Promise<Failed> {
  const folder = new KilledFolder();
  await folder.play({ seed: 1, lives: 1 });
  const inject = `inject=${call}:error=${error}:when=${when}`;
  let played: Played | undefined;
  // Looked at as closely as the play that was counted: how commits fall together depends on how fast it goes.
  const trace = await traceOf(
    async (watch) => {
      played = await folder.play({ seed: 2, lives: LIVES, watch });
    },
    ['-e', inject],
  );
  assert.ok(played);
  const findings = [...(await folder.findings()), ...(await folder.treeFindings())];
  return { ...played, findings, trace, hasStopped: played.status === FAULT_STATUS || played.status === 1 };
}
