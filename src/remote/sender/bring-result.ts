import { isRefusal } from '../../domain/refusal.ts';
import { judgeResult } from '../../federation/capabilities/contract-violations.ts';
import { openReview } from '../../federation/capabilities/open-review.ts';
import type { Federation } from '../../federation/federation.ts';
import type { Tx } from '../../ledger/tx.ts';
import { recordBrought } from '../../operations/remote/watch-order.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import { bringWork, removeContent } from '../shared-content.ts';
import type { RemoteOrder, RemoteParts } from './sender-parts.ts';

/** Judges the result of another node and brings its files here. A result that breaks a contract opens a review (Runtime §8.3). */
export async function bringRemote(parts: RemoteParts, federation: Federation, order: RemoteOrder): Promise<boolean> {
  const { ledger } = parts;
  const { answered, sent } = order.remote;
  const taskId = order.task.id;
  if (answered === null) return false;
  const { agent, answer } = answered;
  const capabilities = answer.failureClass === null ? (sent?.capabilities ?? []) : [];
  const broken = await judgeResult(federation.parts.transport, capabilities, answer);
  const imported = await bringWork(parts, federation, order);
  const corrId = sent?.corrId ?? '';
  if (isRefusal(imported) && imported.code === 'parcel_incomplete') {
    const missing = { node: answered.node, uid: order.task.uid, corrId, holds: 'result' } as const;
    await federation.asks.ask({ ledger, sender: federation.sender }, missing, parts.clock.now().wallMs);
    return false;
  }
  federation.asks.forget(corrId);
  const { sender } = federation;
  const corrIds = [corrId];
  const about = { failureClass: 'contract_violation', agent, corrIds, sender } as const;
  const review = (tx: Tx) => {
    for (const { capability, violation } of broken)
      openReview(tx, { ...about, capability, detail: `${taskId}: ${violation}` });
  };
  crashPoint('federation.bring');
  const brought = await ledger.submit(recordBrought, {
    taskId,
    violations: broken.map(({ capability, violation }) => `${capability.capabilityId}: ${violation}`),
    problem: isRefusal(imported) ? imported.message : null,
    review,
  });
  crashPoint('federation.brought');
  if (!isRefusal(brought)) await removeContent(federation, order, answer);
  return !isRefusal(brought);
}
