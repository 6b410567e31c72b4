import type { RemoteEnd, RemoteView } from '../../api/task/remote-view.ts';
import { PROCESSED_SLA_GRACE_SECONDS } from '../../domain/federation/federation-limits.ts';
import type { WorkVerdict } from '../../domain/order/work-verdict.ts';
import { receiverName } from '../../domain/remote/sent-terms.ts';
import { maskWritten } from '../../domain/secrets/mask-written.ts';
import type { Task } from '../../domain/task/task.ts';
import { selectKnownNode } from '../../ledger/statements/federation/known-nodes.ts';
import { type ReceivedTask, selectReceivedAs } from '../../ledger/statements/federation/received-tasks.ts';
import { type SentTask, selectSentTask } from '../../ledger/statements/federation/sent-tasks.ts';
import { selectLastFact } from '../../ledger/statements/run-facts.ts';
import type { Reader } from '../../ledger/tx.ts';

/** The part of another node in a task; null for a task of this node alone. */
export function viewRemote(read: Reader, { id }: Pick<Task, 'id'>): RemoteView | null {
  const sent = selectSentTask(read, id);
  if (sent) return viewSent(read, sent);
  const received = selectReceivedAs(read, id);
  return received && viewReceived(received);
}

function viewSent(read: Reader, sent: SentTask): RemoteView {
  const { node, agent, status, progress, note, theirTask, uid, corrId, etaAt } = sent;
  const last = selectLastFact(read, sent, 'sent');
  const overdue = selectLastFact(read, sent, 'overdue');
  return {
    direction: 'sent',
    ...{ node, agent, status, progress, theirTask, uid, corrId },
    ended: sent.isOpen ? null : endOf(read, sent),
    to: (last?.to ?? []).map(receiverName),
    note: note === null ? null : maskWritten(note),
    etaAt: instant(sent.revisedEtaAt ?? etaAt),
    firstEtaAt: instant(etaAt),
    deadlineAt: instant(sent.deadlineAt),
    isOverdue: overdue !== null,
    toldAt: instant(sent.toldAt),
    silentSince: sent.isOpen && node !== null ? silentSince(read, node) : null,
  };
}

function silentSince(read: Reader, node: string): string | null {
  const known = selectKnownNode(read, node);
  return known !== null && (known.life === 'silent' || known.life === 'dead') ? instant(known.seenAt) : null;
}

const ENDS: Readonly<Record<WorkVerdict, RemoteEnd>> = {
  checked: 'done',
  unchecked: 'done',
  partial: 'done',
  failed: 'failed',
  aborted: 'stopped',
};

/** As the node that has it answered; a node that had it before does not count. */
function endOf(read: Reader, sent: SentTask): RemoteEnd {
  const answered = selectLastFact(read, sent, 'answered');
  if (answered !== null && answered.node === sent.node) return ENDS[answered.answer.verdict];
  return selectLastFact(read, sent, 'recalled') === null ? 'ended' : 'stopped';
}

function viewReceived(received: ReceivedTask): RemoteView {
  const { source, requester, recipient, toldStatus, toldProgress, etaAt, deadlineAt, toldAt, uid, corrId } = received;
  return {
    direction: 'received',
    node: source,
    agent: requester,
    to: [recipient],
    status: toldStatus ?? 'accepted',
    ended: received.state === 'ended' ? 'ended' : null,
    progress: toldProgress,
    note: null,
    etaAt: instant(etaAt),
    firstEtaAt: instant(etaAt),
    deadlineAt: instant(deadlineAt),
    isOverdue: received.state !== 'ended' && toldAt > etaAt + PROCESSED_SLA_GRACE_SECONDS * 1_000,
    toldAt: instant(toldAt),
    theirTask: null,
    silentSince: null,
    uid,
    corrId,
  };
}

function instant(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
