import { isRefusal } from '../../domain/refusal.ts';
import { judgeRemoteWait } from '../../domain/remote/judge-sent-wait.ts';
import { reviewTask } from '../../federation/capabilities/open-review.ts';
import type { Federation } from '../../federation/federation.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import type { Tx } from '../../ledger/tx.ts';
import { requestStop } from '../../operations/order/stop-order.ts';
import { noteOverdue } from '../../operations/remote/watch-order.ts';
import { readSight } from '../../remote/sender/receiver-sight.ts';
import { sendElsewhere } from '../../remote/sender/send-or-settle.ts';
import { type RemoteOrder, type RemoteParts, settle } from '../../remote/sender/sender-parts.ts';

/** Looks after an order that another node has. False if nothing changed. */
export async function watchRemote(parts: RemoteParts, federation: Federation, order: RemoteOrder): Promise<boolean> {
  const { ledger } = parts;
  const { remote, execution, task } = order;
  const taskId = task.id;
  const verdict = judgeRemoteWait(execution, remote, await readSight(federation, remote));
  switch (verdict.kind) {
    case 'wait':
      return false;
    case 'settle':
      return await settle(parts, order, verdict.outcome);
    case 'expire': {
      const why = { code: 'E_TIMEOUT', message: verdict.message } as const;
      return !isRefusal(await ledger.submit(requestStop, { taskId, by: 'dispatcher', why }));
    }
    case 'overdue': {
      const { etaAt } = verdict;
      const review = (tx: Tx) => reviewOverdue(tx, federation, { order, etaAt });
      return !isRefusal(await ledger.submit(noteOverdue, { taskId, etaAt, review }));
    }
    case 'stray':
      return await sendElsewhere(parts, { federation, strayed: verdict }, order);
  }
}

/** Runtime §8.1 */
function reviewOverdue(
  tx: Tx,
  { sender }: Federation,
  { order, etaAt }: { readonly order: RemoteOrder; readonly etaAt: number },
): void {
  const row = selectOrder(tx, order.task.id);
  const agent = order.remote.taken?.agent ?? '';
  const detail = `${order.task.id} was to be done by ${new Date(etaAt).toISOString()}`;
  if (row) reviewTask(tx, { order: row }, { agent, failureClass: 'sla_breach', detail, sender });
}
