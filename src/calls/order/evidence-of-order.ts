import { existsSync, readFileSync } from 'node:fs';
import type { AttemptView, CheckView, DiffAnswer, Evidence, ReceiptView } from '../../api/order/order-contract.ts';
import { verifyReceipt } from '../../checks/receipt.ts';
import type { CheckResult } from '../../domain/execution/check-result.ts';
import type { Attempt } from '../../domain/execution/execution.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { maskWritten } from '../../domain/secrets/mask-written.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { signersOf } from '../../platform/node-key.ts';
import { readJsonText } from '../../protocols/read-json-text.ts';
import { workspaceInRepository } from '../../work/place/work-folder.ts';
import { diffOf, type LeftWork, type WantedText } from '../../work/work.ts';
import { receiptOf } from './report-of-order.ts';

/** The parts that the verdict on the last round of a task is made of. */
export async function evidenceOfOrder(world: OrderWorld, { task, execution }: LeftWork): Promise<Evidence> {
  const { snapshotted, attempts } = execution;
  const found = await receiptOf(world, task, execution);
  return {
    task: task.id,
    before: (snapshotted?.checks ?? []).map(viewCheck),
    attempts: attempts.map(viewAttempt),
    oldTests: attempts.findLast(({ verified }) => verified !== null)?.verified?.oldTests ?? null,
    receipt: found && viewReceipt(world, found),
  };
}

function viewCheck({ id, kind, result, message, why, exitCode, tail, durationMs }: CheckResult): CheckView {
  return { id, kind, result, message: why ?? message, exitCode, tail, durationMs };
}

function viewAttempt({ runId, agent, startedAt, end, ended, collected, verified }: Attempt): AttemptView {
  const { costUsd = 0, tokensInput = 0, tokensOutput = 0 } = ended?.spend ?? {};
  return {
    run: runId,
    agent,
    startedAt: new Date(startedAt).toISOString(),
    endedAt: ended && new Date(ended.at).toISOString(),
    end: end?.kind ?? null,
    message: end && 'message' in end ? end.message : null,
    costUsd,
    tokensInput,
    tokensOutput,
    changed: collected?.changed.length ?? null,
    checks: (verified?.results ?? []).map(viewCheck),
  };
}

function viewReceipt(
  { dataFolder }: OrderWorld,
  { file, staleFiles }: { file: string; staleFiles: readonly string[] },
): ReceiptView {
  const nothing = { keyId: null, isOwnKey: false, staleFiles: [], content: null };
  if (!existsSync(file)) return { file, verdict: 'broken', reason: 'its file is gone', ...nothing };
  const verified = verifyReceipt(readFileSync(file), readJsonText);
  if (verified.verdict === 'broken') {
    return { file, verdict: 'broken', reason: `${verified.path} ${verified.reason}`.trim(), ...nothing };
  }
  const { receipt } = verified;
  const { keyId } = receipt.signer;
  const isOwnKey = signersOf(dataFolder).includes(keyId);
  const verdict = !isOwnKey ? 'unknown_key' : staleFiles.length > 0 ? 'stale' : 'valid';
  return { file, verdict, reason: null, keyId, isOwnKey, staleFiles, content: { ...receipt } };
}

/** The difference that a run made, for reading: its secrets are masked. */
export async function diffAnswer(world: OrderWorld, work: LeftWork, wanted: WantedText): Promise<DiffAnswer | Refusal> {
  const diff = await diffOf(world, work, wanted);
  if (isRefusal(diff)) return diff;
  const files = diff.files.map(({ path, status, added, removed }) => ({ path, status, added, removed }));
  return {
    task: work.task.id,
    inside: workspaceInRepository(work.execution.order, work.execution.snapshotted?.repository),
    from: diff.before,
    to: diff.after,
    files,
    git: diff.git,
    ignored: diff.ignored,
    text: maskWritten(diff.text),
  };
}
