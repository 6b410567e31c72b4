import { isRefusal } from '../../domain/refusal.ts';
import type { Federation } from '../../federation/federation.ts';
import { judgeResult } from '../../federation/tasks/judge-result.ts';
import { openReview } from '../../federation/tasks/open-review.ts';
import type { Tx } from '../../ledger/tx.ts';
import { recordBrought } from '../../operations/remote/watch-order.ts';
import { crashPoint } from '../../platform/crash-point.ts';
import type { RemoteOrder, RemoteParts } from './remote-parts.ts';

/** Judges the result of another node and brings its files here. A result that breaks a contract opens a review (Runtime §8.3). */
export async function bringRemote(parts: RemoteParts, federation: Federation, order: RemoteOrder): Promise<boolean> {
  const { content, ledger } = parts;
  const { answered, sent } = order.remote;
  const taskId = order.task.id;
  if (answered === null) return false;
  const { node, agent, answer } = answered;
  const broken = await judgeResult(federation.parts.transport, sent?.capabilities ?? [], answer);
  const imported = await content.importResult({ task: taskId, node, agent, parcel: answer.parcel });
  const { sender } = federation;
  const corrIds = [sent?.corrId ?? ''];
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
  return !isRefusal(brought);
}
