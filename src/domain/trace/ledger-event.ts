import type { TaskName } from '../task/task.ts';

/** An event, named in the past tense: one row of the log, whose `seq` has no gaps but an accepted loss. */
export interface LedgerEvent {
  readonly seq: number;
  readonly id: string;
  readonly type: EventType;
  readonly at: number;
  readonly actor: string;
  readonly taskId: TaskName | null;
  /** The run that it happened in. */
  readonly runId: string | null;
  /** The session of the task's order. */
  readonly sessionId: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The message of a trace that it announces; absent for other events, and where it was not read. */
  readonly trace?: TracedMessage;
}

/** A turn or an event of an agent as it is stored. */
export interface TracedMessage {
  readonly envelope: string;
  /** The text that is shown in the place of a chunk; null where the envelope alone decides. */
  readonly shown: string | null;
}

export const EVENT_TYPES = [
  'task.created',
  'task.transitioned',
  'task.claimed',
  'task.edited',
  'task.rewound',
  'task.completed',
  'task.logged',
  'task.sent',
  'task.taken',
  'task.told',
  'task.strayed',
  'task.recalled',
  'task.overdue',
  'task.answered',
  'task.answer_refused',
  'task.brought',
  'task.received',
  'task.returned',
  'run.ended',
  'order.admitted',
  'order.snapshotted',
  'order.unanswered',
  'order.requeued',
  'order.stop_requested',
  'order.rolled_back',
  'order.settled',
  'order.reported',
  'work.applied',
  'work.undone',
  'work.discarded',
  'work.cleaned',
  'work.continued',
  'work.overlapped',
  'session.submitted',
  'session.joined',
  'session.stopped',
  'session.reopened',
  'session.reported',
  'run.launched',
  'run.exited',
  'run.collected',
  'run.verified',
  'run.progressed',
  'run.warned',
  'workspace.recorded',
  'turn.recorded',
  'trace.event_recorded',
  'trace.entropy_detected',
  'run.thought',
  'run.spoke',
  'run.retried',
  'run.tool_started',
  'run.tool_ended',
  'run.question_asked',
  'run.quota_reached',
  'run.session_opened',
  'words.said',
  'words.delivered',
  'question.asked',
  'question.answered',
  'feedback.asked',
  'feedback.answered',
  'feedback.lost',
  'feedback.opened',
  'feedback.decided',
  'feedback.fixing',
  'feedback.ended',
  'review.approved',
  'review.returned',
  'delegation.requested',
  'delegation.accepted',
  'delegation.rejected',
  'protocol.message.received',
  'protocol.message.rejected',
  'protocol.message.unknown',
  'protocol.message.warning',
  'tree.edit.rejected',
  'tree.file.restored',
  'tree.stray.removed',
  'message.sent',
  'message.received',
  'message.read',
  'message.told',
  'delivery.failed',
  'delivery.given_up',
  'capability.published',
  'capability.removed',
  'capability.review_opened',
  'capability.review_closed',
  'capability.route_failed',
  'skill.confirmed',
  'skill.refused',
  'skill.distributed',
  'skill.installed',
  'federation.gap_passed',
  'federation.epoch_begun',
  'federation.frame_refused',
  'external.invited',
  'external.invite_revoked',
  'external.enrolled',
  'external.revoked',
  'external.refused',
  'incident.opened',
  'incident.closed',
  'ledger.rebuilt',
  'machine.slept',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** The types that a list like `task.*,run.ended` means; null where a part of it means none. */
export function eventTypesOf(list: string): readonly EventType[] | null {
  const groups = list.split(',').map((part) => EVENT_TYPES.filter(matcherOf(part)));
  return groups.every((types) => types.length > 0) ? [...new Set(groups.flat())] : null;
}

function matcherOf(part: string): (type: EventType) => boolean {
  return part.endsWith('*') ? (type) => type.startsWith(part.slice(0, -1)) : (type) => type === part;
}
