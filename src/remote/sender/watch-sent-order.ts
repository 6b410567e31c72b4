import { isRefusal } from '../../domain/refusal.ts';
import { judgeSentWait } from '../../domain/remote/judge-sent-wait.ts';
import type { Federation } from '../../federation/federation.ts';
import { requestStop } from '../../operations/order/stop-order.ts';
import { readSight } from './receiver-sight.ts';
import { sendAgain } from './send-or-settle.ts';
import { type SenderParts, type SentOrder, settleSentOrder } from './sender-parts.ts';
import { noteOverdue } from './watch-commands.ts';

/** Looks after an order that another node has. False if nothing changed. */
export async function watchSentOrder(parts: SenderParts, federation: Federation, order: SentOrder): Promise<boolean> {
  const { ledger } = parts;
  const { remote, execution, task } = order;
  const taskId = task.id;
  const verdict = judgeSentWait(execution, remote, await readSight(federation, remote));
  switch (verdict.kind) {
    case 'wait':
      return false;
    case 'settle':
      return await settleSentOrder(parts, order, verdict.outcome);
    case 'expire': {
      const why = { code: 'timeout', message: verdict.message } as const;
      return !isRefusal(await ledger.submit(requestStop, { taskId, by: 'dispatcher', why }));
    }
    case 'overdue': {
      const { etaAt } = verdict;
      return !isRefusal(await ledger.submit(noteOverdue, { taskId, etaAt, sender: federation.sender }));
    }
    case 'stray':
      return await sendAgain(parts, { federation, strayed: verdict }, order);
  }
}
