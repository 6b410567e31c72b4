import { attemptNumber, currentRun } from '../../domain/execution/execution.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import type { RollbackTrigger } from '../../domain/execution/findings.ts';
import { firstCommit } from '../../domain/execution/recorded-changes.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { SentStep } from '../../domain/remote/next-sent-step.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { admitBegun } from '../../orders/ensure-order.ts';
import { checkOldTests } from '../../work/place/check-old-tests.ts';
import { checkWork } from '../../work/place/check-work.ts';
import { recordedState, searchAfter } from '../../work/place/record-state.ts';
import { folderOfExecution, snapshotHome } from '../../work/place/work-folder.ts';
import type { WorkWorld } from '../../work/work-world.ts';
import { takeShadow } from '../../workspace/shadow/take-shadow.ts';
import { restoreSnapshots } from '../../workspace/snapshot/restore-snapshots.ts';
import type { RunningAttempt } from '../attempt/attempt.ts';
import type { StopSignals } from '../order-stop.ts';
import { collectStep } from './collect-step.ts';
import { launchStep } from './launch-step.ts';
import { hasSentResult, reportStep } from './report-step.ts';
import { snapshotStep } from './snapshot-step.ts';
import type { StepParts } from './step-parts.ts';

type FactOf<Kind extends Fact['kind']> = Extract<Fact, { readonly kind: Kind }>;

/**
 * The implementation of each step. A step inspects or changes files and processes. It may record what happens while it
 * runs, such as heartbeats and turns; its result is a fact that the runner writes. It does not decide the next step.
 */
export interface OrderSteps {
  admit(open: OpenOrder): Promise<FactOf<'admitted'> | Refusal>;
  /** Null while another run has the workspace and no worktree is possible. */
  snapshot(open: OpenOrder, signal: AbortSignal): Promise<FactOf<'snapshotted'> | Refusal | null>;
  launch(open: OpenOrder, signals: StopSignals): Promise<RunningAttempt>;
  /** Not interrupted, as is everything below but the checks: what the agent left behind is always recorded. */
  collect(open: OpenOrder): Promise<FactOf<'collected'>>;
  /** Once the signal is aborted, the remaining checks are skipped. */
  verify(open: OpenOrder, signal: AbortSignal): Promise<FactOf<'verified'>>;
  rollBack(open: OpenOrder, trigger: RollbackTrigger): Promise<FactOf<'rolled-back'>>;
  /** Writes the report and the receipt as files; repeated, it writes the same. */
  report(open: OpenOrder): Promise<FactOf<'reported'>>;
  /** A step of an order that another node runs. It records its own facts; false leaves the order to the next node. */
  remote(open: OpenOrder, how: SentHow): Promise<boolean>;
}

interface SentHow {
  readonly step: Extract<SentStep, { readonly kind: 'send' | 'await' | 'recall' | 'bring' }>;
  readonly stop: AbortSignal;
}

/** The steps of an order that another node runs; its report has no receipt where no files came back. */
export type SentSteps = Pick<OrderSteps, 'remote' | 'report'>;

/** The steps of an order with real processes, files and git. */
export function stepsOf(parts: StepParts, sent: SentSteps): OrderSteps {
  const { world } = parts;
  return {
    admit: (open) => admitBegun(world, open),
    snapshot: (open, signal) => snapshotStep(parts, open, signal),
    launch: (open, signals) => launchStep(parts, open, signals),
    collect: (open) => collectStep(parts, open),
    verify: (open, signal) => verifyStep(world, open, signal),
    rollBack: (open, trigger) => rollBackStep(world, open, trigger),
    report: (open) =>
      open.execution.remote === null || hasSentResult(open.execution) ? reportStep(parts, open) : sent.report(open),
    remote: sent.remote,
  };
}

/** Runs the checks after an attempt. */
async function verifyStep(world: WorkWorld, open: OpenOrder, signal: AbortSignal): Promise<FactOf<'verified'>> {
  const { execution } = open;
  const attempt = currentRun(execution);
  const { runId } = attempt;
  const workplace = execution.snapshotted?.workplace ?? { kind: 'in-place' };
  const folder = folderOfExecution(execution, world.dataFolder);
  const name = `verified-${attemptNumber(execution, runId)}`;
  const search = () => searchAfter(world, open, folder);
  const ignoredBase = execution.snapshotted?.ignoredState;
  const question = { workplace, folder, basis: firstCommit(execution), name, signal, search, ignoredBase };
  const verification = await checkWork(world, open, question);
  const oldTests = await checkOldTests(world, open, { attempt, verification, signal });
  return { kind: 'verified', runId, ...verification, ...(oldTests && { oldTests }) };
}

/** Restores the outputs that have a snapshot, one by one. */
async function rollBackStep(
  world: WorkWorld,
  open: OpenOrder,
  trigger: RollbackTrigger,
): Promise<FactOf<'rolled-back'>> {
  const { snapshotted, attempts } = open.execution;
  const folder = folderOfExecution(open.execution, world.dataFolder);
  const files = await restoreSnapshots(snapshotHome(world, open, folder), snapshotted?.files ?? []);
  const atMs = world.clock.now().wallMs;
  const basis = snapshotted?.commit ?? null;
  // A later undo starts from the files after the rollback, not from the agent's.
  const wantsShadow = basis !== null && attempts.some(({ collected }) => collected?.commit);
  const label = `${open.round}/rolled-back`;
  const shadow =
    folder.shadows && wantsShadow ? await takeShadow(folder.shadows, { task: open.task.id, label, basis, atMs }) : null;
  const recorded =
    folder.shadows && shadow ? await recordedState(world, folder.shadows, { task: open.task.id, label, shadow }) : null;
  const commit = shadow?.commit ?? null;
  return { kind: 'rolled-back', trigger, files, commit, ...(recorded && { recorded }), at: atMs };
}
