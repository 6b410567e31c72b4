import type { Tx } from '../../ledger/tx.ts';
import { RECALL } from '../../remote/receiver/receive-task.ts';
import type { Federation } from '../federation.ts';
import { appendEvent } from '../outbox.ts';

export interface Recall {
  readonly uid: string;
  readonly corrId: string;
  readonly nodes: readonly string[];
  readonly reason: string;
}

/** Tells nodes to stop a task of this one, in the transaction that records it. */
export function tellRecall({ parts, sender }: Federation, { uid, corrId, nodes, reason }: Recall): (tx: Tx) => void {
  const to = nodes.map((node) => ({ agent: node, node, fence: null }));
  const payload = { signal: RECALL, taskId: uid, reason, ...(nodes.length > 1 && { toAgents: nodes }) };
  return (tx) => {
    appendEvent(tx, sender, { kind: 'signal', fromAgent: parts.nodeId, to, corrId, payload });
  };
}
