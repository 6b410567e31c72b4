import type { WorkVerdict } from '../../../src/domain/order/work-verdict.ts';
import { isRefusal, type Refusal } from '../../../src/domain/refusal.ts';
import type { TaskName } from '../../../src/domain/task/task.ts';
import { selectOrder } from '../../../src/ledger/statements/orders.ts';
import type { Parcel } from '../../../src/remote/parcel/parcel.ts';
import type { ImportedResult, Parcels } from '../../../src/remote/parcels.ts';
import { importRun, type ResultRun } from '../../../src/remote/sender/import-run.ts';
import type { MemoryLedger } from '../ledger/memory-ledger.ts';
import { collected, ended, FINISHED, result, snapshotted, verified } from '../run/an-execution.ts';

const COMMIT = 'a'.repeat(40);

/** The parcel of a simulated machine: it has no files. */
const EMPTY: Parcel = {
  version: 1,
  kind: 'files',
  holds: 'work',
  about: 'tsk_1/1',
  repository: '0'.repeat(64),
  objectFormat: 'sha1',
  baseCommit: null,
  state: COMMIT,
  beside: COMMIT,
  needs: [],
  blobs: [],
  bytes: 0,
  unpackedBytes: 0,
};

/** The result of a simulated machine: the verdict alone. */
export interface SimResult {
  readonly verdict: WorkVerdict;
  readonly costUsd: number;
}

/** Work without files on its way between simulated machines; what comes back is imported by the same operation. */
export function simParcels(ledger: () => MemoryLedger): Parcels {
  const unused = () => Promise.reject(new Error('a simulated machine has no files'));
  return {
    packWork: async () => EMPTY,
    unpackWork: unused,
    packResult: unused,
    removeWork: () => {},
    handOut: () => {},
    importResult: async ({ task, node, agent, result: came }) =>
      await importAs(ledger(), { task, node, agent }, came as SimResult),
  };
}

interface ImportedAs {
  readonly task: TaskName;
  readonly node: string;
  readonly agent: string;
}

async function importAs(
  ledger: MemoryLedger,
  { task, node, agent }: ImportedAs,
  { verdict, costUsd }: SimResult,
): Promise<ImportedResult | Refusal> {
  const outcome = { verdict, code: null, message: verdict };
  const elsewhere = { node, task: 'TASK-2026-02-09-001', run: 'run_1', outcome };
  const about = { commit: COMMIT, runId: '' };
  const end = ended('', FINISHED, { spend: { costUsd, tokens: 15, tokensInput: 10, tokensOutput: 5, tier: null } });
  const results = verdict === 'checked' ? [result('true')] : [];
  const run = {
    taskId: task,
    round: selectOrder(ledger.read, task)?.round ?? 1,
    agent,
    snapshotted: snapshotted({ ...about, workplace: { kind: 'worktree', folder: '/nowhere', elsewhere } }),
    ended: end,
    collected: collected('', about),
    verified: verified('', results),
    rolledBack: null,
    steps: [],
    stepsLeftOut: 0,
  } as unknown as ResultRun;
  const imported = await ledger.submit(importRun, run);
  if (isRefusal(imported)) return imported;
  return { kind: 'imported', isNew: imported.isNew, run: imported.runId, outcome: { ...outcome, attempts: [] } };
}
