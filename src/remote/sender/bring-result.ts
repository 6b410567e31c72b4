import { isRefusal } from '../../domain/refusal.ts';
import { contractViolations } from '../../federation/capabilities/contract-violations.ts';
import type { Federation } from '../../federation/federation.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import type { ContentRequests } from '../content.ts';
import { bringWork, removeContent } from '../shared-content.ts';
import type { SenderParts, SentOrder } from './sender-parts.ts';
import { recordBrought } from './watch-commands.ts';

interface BringParts extends SenderParts {
  readonly asks: ContentRequests;
}

/** Judges the result of another node and brings its files here. A result that breaks a contract opens a review (Runtime §8.3). */
export async function bringResult(parts: BringParts, federation: Federation, order: SentOrder): Promise<boolean> {
  const { ledger, asks } = parts;
  const { answered, sent } = order.remote;
  const taskId = order.task.id;
  if (answered === null) return false;
  const { answer } = answered;
  const capabilities = answer.failureClass === null ? (sent?.capabilities ?? []) : [];
  const broken = await contractViolations(federation.parts.transport, capabilities, answer);
  const imported = await bringWork(parts, federation, order);
  const corrId = sent?.corrId ?? '';
  if (isRefusal(imported) && imported.code === 'parcel_incomplete') {
    const missing = { node: answered.node, uid: order.task.uid, corrId, holds: 'result' } as const;
    await asks.ask({ ledger, sender: federation.sender }, missing, parts.clock.now().wallMs);
    return false;
  }
  asks.forget(corrId);
  crashPoint('federation.bring');
  const brought = await ledger.submit(recordBrought, {
    taskId,
    broken,
    problem: isRefusal(imported) ? imported.message : null,
    sender: federation.sender,
  });
  crashPoint('federation.brought');
  if (!isRefusal(brought)) await removeContent(federation, order, answer);
  return !isRefusal(brought);
}
