import { collectFiles } from '../../checks/checked-files.ts';
import { type CheckedFile, type ReceiptFacts, receiptFile, signReceipt, writeReceipt } from '../../checks/receipt.ts';
import { type Execution, lastRun, spentBy } from '../../domain/execution/execution.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import { agentReportOf, makeReport } from '../../domain/execution/make-report.ts';
import { gitChangesOf, gitSearchOf, ignoredOf, lastCommit } from '../../domain/execution/recorded-changes.ts';
import { CLAIMED_SIGNALS, SIGNALS } from '../../domain/order/record-words.ts';
import { DISPATCHER } from '../../domain/task/decide-sender.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { undeliveredWords } from '../../operations/task/say-words.ts';
import type { PlanWorld } from '../../orders/plan-world.ts';
import { KeyFault } from '../../platform/key-fault.ts';
import { faultFacts } from '../../platform/logger.ts';
import { type NodeKey, openNodeKey, rememberSigner } from '../../platform/node-key.ts';
import { sizeOfWork } from '../../work/place/changed-lines.ts';
import { placesOf } from '../../work/place/work-folder.ts';
import type { WorkWorld } from '../../work/work-world.ts';
import { agentOfOrder } from '../order-agent.ts';
import type { StepParts } from './step-parts.ts';

/** Writes the report and the receipt of an order that is settled. Repeated, it writes the same. */
export async function reportStep(
  parts: StepParts,
  open: OpenOrder,
): Promise<Extract<Fact, { readonly kind: 'reported' }>> {
  const { world } = parts;
  const { task, execution, orderedAt } = open;
  const { order } = execution;
  const places = placesOf(world, execution);
  const checks = lastRun(execution)?.verified?.made ?? [];
  const changed = lastRun(execution)?.collected?.changed ?? [];
  const outputs = order.outputs.flatMap(({ path }) => (path === null ? [] : [path]));
  const paths = [...outputs, ...changed.filter(({ status }) => status !== 'deleted').map(({ path }) => path)];
  const { files, leftOut } = await collectFiles({ paths, checks }, places);
  const agent = reportedAgent(world, execution);
  const startedAt = execution.attempts.find((attempt) => attempt.runId !== null)?.startedAt ?? orderedAt;
  const completedAt = lastRun(execution)?.ended?.at ?? world.clock.now().wallMs;
  const hasRun = execution.attempts.some(({ runId }) => runId !== null);
  const isSent = hasSentResult(execution);
  const key = hasRun && !isSent ? keyOf(world) : null;
  const receipt = key || isSent ? receiptFile(world.dataFolder, task.id) : null;
  const measured = files.map(({ path, size, sha256 }) => ({ path, sha256, sizeBytes: size }));
  const size = await sizeOfWork(world, open);
  // Baton's own words to a run that is over are of no use to anybody.
  const untold = undeliveredWords(world.ledger.read, task.id).filter(({ actor }) => actor !== DISPATCHER).length;
  const times = { startedAt, completedAt };
  const report = makeReport(execution, {
    agent,
    ...times,
    task: task.id,
    receipt,
    measured,
    untold,
    ...size,
  });
  const about = { agent, startedAt, completedAt, files, leftOut, batonVersion: parts.batonVersion };
  const signed = key ? signReceipt(receiptFacts(open, about), key) : null;
  await Promise.all([
    signed !== null && writeReceipt(world.dataFolder, task.id, signed),
    world.edge.publishReport(order, report),
  ]);
  world.workplaces.release(task.id);
  parts.live.overlaps.end(task.id);
  parts.live.progress.release(task.id);
  if (task.status === 'review' && order.settings.review !== null) parts.reviewDue();
  return { kind: 'reported', report };
}

/** Another node did the work, and signed its receipt: this one has seen none of it. */
export function hasSentResult({ snapshotted }: Execution): boolean {
  return snapshotted?.workplace.kind === 'worktree' && snapshotted.workplace.elsewhere !== undefined;
}

/** Null if the key cannot be used: the work is reported without a receipt, and `baton doctor` names the key. */
function keyOf({ dataFolder, log }: WorkWorld): NodeKey | null {
  try {
    const key = openNodeKey(dataFolder);
    rememberSigner(dataFolder, key);
    return key;
  } catch (error) {
    if (!(error instanceof KeyFault)) throw error;
    log.log('receipt.unsigned', faultFacts(error));
    return null;
  }
}

/** The agent of the last attempt, else the target of the order. */
function reportedAgent(world: PlanWorld, { order, admitted, attempts, remote }: Execution) {
  const last = attempts.findLast(({ agent }) => agent !== null);
  const known = agentOfOrder(world.roster, admitted, last?.agent);
  if (known) return { name: known.name, provider: known.provider, model: known.model };
  const { agentName, provider, model } = order.target;
  const theirs = remote?.answered?.answer.model;
  return { name: last?.agent ?? agentName, provider: theirs?.provider ?? provider, model: theirs?.name ?? model };
}

interface ReceiptAbout {
  readonly agent: { readonly name: string; readonly provider: string; readonly model: string };
  readonly startedAt: number;
  readonly completedAt: number;
  readonly files: readonly CheckedFile[];
  readonly leftOut: number;
  readonly batonVersion: string;
}

/** The facts of a receipt: Baton's own findings, and the agent's claim marked as a claim. */
function receiptFacts({ task, execution }: OpenOrder, about: ReceiptAbout): ReceiptFacts {
  const { order, outcome, snapshotted, admitted, attempts } = execution;
  const last = attempts.findLast(({ runId }) => runId !== null);
  const claim = last?.end?.kind === 'finished' || last?.end?.kind === 'failed' ? last.end.claim : null;
  return {
    task: task.id,
    run: last?.runId ?? '',
    ...(order.parcel?.digest && { parcel: order.parcel.digest }),
    agent: about.agent.name,
    provider: about.agent.provider,
    model: last?.model ?? about.agent.model,
    workspace: order.workspaceRoot,
    commitBefore: snapshotted?.commit ?? null,
    commitAfter: lastCommit(execution),
    startedAt: new Date(about.startedAt).toISOString(),
    endedAt: new Date(about.completedAt).toISOString(),
    sandbox: admitted?.sandbox ?? 'none',
    network: order.access.network,
    checksBefore: snapshotted?.made ?? [],
    checksAfter: last?.verified?.made ?? [],
    ...(last?.verified?.oldTests && { oldTests: last.verified.oldTests }),
    files: about.files,
    filesLeftOut: about.leftOut,
    ...gitSearchOf(execution),
    gitChanges: gitChangesOf(execution).gitChanges,
    ignoredChanges: ignoredOf(execution).ignoredChanges,
    cost: costOf(execution),
    verdict: {
      signal: SIGNALS[outcome?.verdict ?? 'failed'],
      isChecked: outcome?.verdict === 'checked',
      message: outcome?.message ?? '',
    },
    claim: claim && { signal: claim.result && CLAIMED_SIGNALS[claim.result], message: claim.message },
    agentReport: agentReportOf(last ?? null),
    batonVersion: about.batonVersion,
  };
}

function costOf(execution: Execution): ReceiptFacts['cost'] {
  const { costUsd: usd, tokens } = spentBy(execution);
  return { usd, tokens, reported: usd > 0 || tokens > 0 ? 'at-end' : 'never' };
}
