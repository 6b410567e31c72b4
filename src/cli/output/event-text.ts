import type { EventView } from '../../api/contract.ts';
import type { EventType } from '../../domain/ledger-event.ts';
import type { TaskReason } from '../../domain/task-reason.ts';
import { reasonText } from './reason-text.ts';
import type { Style } from './style.ts';
import { durationText, secondText, timeText } from './time-text.ts';
import { visible } from './visible.ts';

const NUMBER_WIDTH = 6;
const NAME_WIDTH = 'TASK-2026-02-09-057'.length;
const ACTOR_WIDTH = 12;

export function eventLine(event: EventView, style: Style): string {
  return [
    style.faint(String(event.eventId).padStart(NUMBER_WIDTH)),
    secondText(event.timestamp),
    style.strong((event.taskId ?? '-').padEnd(NAME_WIDTH)),
    visible(event.actor).padEnd(ACTOR_WIDTH),
    eventText(event, style),
  ].join('  ');
}

/** The rest of a sentence that begins with the actor of the event. */
export function eventText(event: EventView, style: Style): string {
  // A node of a newer version may have other types.
  const tell = Object.hasOwn(SENTENCES, event.type) ? SENTENCES[event.type as EventType] : null;
  // An event is one line; the report shows all of a message.
  return visible((tell ? tell(payloadOf(event), style) : event.type).split('\n', 1)[0] ?? '');
}

type Payload = ((name: string) => string) & {
  readonly why: string | null;
  readonly list: (name: string) => readonly unknown[];
};

type Sentence = (of: Payload, style: Style) => string;
type PeerEvent = Extract<EventType, `session.${string}` | `feedback.${string}` | `review.${string}`>;
type TraceEvent = Extract<EventType, 'turn.recorded' | `trace.${string}`>;
type NodeEvent = Extract<EventType, `message.${string}` | `delivery.${string}` | `federation.${string}`>;

/** Sessions, feedback and reviews. */
const PEER_SENTENCES: Readonly<Record<PeerEvent, Sentence>> = {
  'session.submitted': (of) => `submitted a session: ${counted(of('tasks'), 'task')}, ${of('pattern')}`,
  'session.joined': (of) => `added ${of('tasks') === '' ? 'it' : counted(of('tasks'), 'task')} to the session`,
  'session.stopped': (of) => withReason('stopped the session', of('message') || null),
  'session.reopened': (of) => `goes on with the session: ${counted(of('tasks'), 'task')}`,
  'session.reported': (of) => `wrote the final report of the session: ${of('signal')}`,
  'feedback.asked': (of) => `asked ${of('agent')} for feedback on ${of('artifact')}, iteration ${of('iteration')}`,
  'feedback.answered': (of) =>
    of('status') === 'success'
      ? `gave feedback: ${counted(of('findings'), 'finding')}`
      : `gave no feedback: ${of('code')}: ${of('message')}`,
  'feedback.lost': (of) => `lost iteration ${of('iteration')}: the node ended first`,
  'feedback.opened': (of) => `asks ${of.list('reviewers').join(', ')} for feedback on ${of('subject')}, in rounds`,
  'feedback.decided': (of) =>
    `decided on round ${of('round')}: ${of('accepted')} accepted, ${of('partial')} in part, ${of('rejected')} rejected`,
  'feedback.fixing': (of) => `has ${of('task')} deal with ${counted(of('items'), 'finding')}`,
  'feedback.ended': (of) =>
    withReason(
      `ended the feedback after round ${of('rounds')}: ${of('left')} of ${counted(of('items'), 'finding')} left`,
      of('message') || null,
    ),
  'review.approved': (of) => withReason('approved it', of('message') || null),
  'review.returned': (of) => `returned it with ${counted(of.list('items').length, 'item')}`,
};

/** Other machines, and messages between agents. */
const NODE_SENTENCES: Readonly<Record<NodeEvent, Sentence>> = {
  'message.sent': (of) => `sent a message to ${of('to')}${of('subject') && `: ${of('subject')}`}`,
  'message.received': (of) => `sent ${of('to')} a message${of('subject') && `: ${of('subject')}`}`,
  'message.read': (of) => `read the message ${of('eventId')}`,
  'delivery.failed': (of) => `refused ${of('eventId')}`,
  'delivery.given_up': (of) => withReason(`gave up sending ${of('eventId')} to ${of('to')}`, of('reason') || null),
  'federation.gap_passed': (of) =>
    `events ${of('first')} to ${of('last')} of node ${of('node')} are lost: ${of('policy')}`,
  'federation.epoch_begun': (of) => `began the outbox anew: ${of('epoch')}`,
  'federation.frame_refused': (of) => withReason(`sent event ${of('seq')}, which was refused`, of('reason') || null),
};

const ENTROPY_ACTIONS: Readonly<Record<string, string>> = {
  pivot: 'it is asked for another approach',
  escalate: 'its priority rises',
  pause: 'it waits for a person',
};

const TRACE_SENTENCES: Readonly<Record<TraceEvent, Sentence>> = {
  'turn.recorded': (of) => `recorded turn ${of('turnIndex')}`,
  'trace.event_recorded': (of) =>
    of('lines') === '' ? `recorded event ${of('eventId')}` : `printed ${counted(of('lines'), 'line')}`,
  'trace.entropy_detected': (of) =>
    `saw that a run goes nowhere: ${of('text')}; ${ENTROPY_ACTIONS[of('action')] ?? of('action')}`,
};

const SENTENCES: Readonly<Record<EventType, (of: Payload, style: Style) => string>> = {
  'task.created': (of) => `created it: ${of('title')}`,
  'task.transitioned': (of) => withReason(`moved it from ${of('from')} to ${of('to')}`, of.why),
  'task.claimed': (of, style) => `claimed it until ${timeText(of('expiresAt'), style.nowMs)}`,
  'task.edited': (of) => withReason(`edited ${of('fields').replaceAll(',', ', ')}`, of.why),
  'task.rewound': (of) => `rewound it to point ${of('point')}`,
  'task.completed': (of) => `reported ${of('outcome').replace('_', ' ')}`,
  'task.logged': (of) => `added to its work log: ${of('entry')}`,
  'run.ended': (of) => withReason(`ended its run, ${of('status')}`, of.why),
  'order.admitted': (of) => `accepted the order${of('agent') && ` for ${of('agent')}`}`,
  'order.snapshotted': (of) => `recorded the state before the work: ${counted(of('files'), 'file')}`,
  'order.unanswered': (of) => withReason('found no agent for it', of('message') || null),
  'order.requeued': (of, style) => withReason(`queued it again for ${timeText(of('dueAt'), style.nowMs)}`, of.why),
  'order.stop_requested': () => 'asked to stop it',
  'order.rolled_back': (of) => `rolled back ${counted(of.list('files').length, 'file')}`,
  'order.settled': (of) => withReason(`settled the order: ${of('signal')}`, of('message') || null),
  'order.reported': () => 'wrote the report',
  'work.applied': (of) => `applied its work: ${counted(of('files'), 'file')} ${appliedTo(of)}`,
  'work.undone': (of) => `undid its work: ${counted(of('files'), 'file')} in ${of('folder')}`,
  'work.continued': (of) => `handed its worktree over to ${of('inTask')}`,
  'work.discarded': (of) => `discarded its work: ${counted(of('files'), 'file')}`,
  'work.cleaned': () => 'removed its saved files: diff, apply and undo cannot use them any more',
  'workspace.recorded': (of) => `recorded the files of turn ${of('turnIndex')}`,
  'run.launched': (of) => `started the agent${of('resumed') && `, to go on in its session ${of('resumed')}`}`,
  'run.exited': (of) => withReason(`recorded the end of the agent: ${of('end')}`, of('message') || null),
  'run.collected': (of) => `found ${counted(of('changed'), 'changed file')}`,
  'run.verified': (of) => `checked the work: ${passedOf(of.list('results'))}`,
  'run.progressed': (of) =>
    `reported progress: ${[of('percentage') && `${of('percentage')} %`, of('text')].filter(Boolean).join(', ')}`,
  'run.warned': (of) => `got a warning: ${of('message')}`,
  ...TRACE_SENTENCES,
  'run.thought': (of) => `thought: ${of('text')}`,
  'run.spoke': (of) => `said: ${of('text')}`,
  'run.retried': (of) => `asked its model again, try ${of('attempt')}: ${of('message')}`,
  'run.tool_started': (of) => `called ${of('tool')}: ${of('input')}`,
  'run.tool_ended': (of) => `got the result of ${of('tool')}: ${of('result')}`,
  'run.question_asked': (of) => `asked: ${of('text')}`,
  'run.quota_reached': (of) => withReason('reached the quota of its vendor', of('message') || null),
  'run.session_opened': (of) => `opened session ${of('id')} with its vendor`,
  'words.said': (of) => `said to the agent: ${of('text')}`,
  'words.delivered': (of) => (of('by') === 'stream' ? 'told the running agent' : 'told the agent with its prompt'),
  'question.asked': (of) => `asked to ${of('what')}`,
  'question.answered': (of) => withReason(`answered ${of('answer')}`, of('reason') || null),
  ...PEER_SENTENCES,
  'delegation.requested': (of) => `handed it to ${of('toAgent')}`,
  'delegation.accepted': () => 'accepted the handoff',
  'delegation.rejected': (of) => withReason('rejected the handoff', of.why),
  'protocol.message.received': (of) => `sent ${of('type')}`,
  'protocol.message.rejected': (of) => `sent ${of('type') || 'a message'}, which was rejected: ${of('reason')}`,
  'protocol.message.unknown': (of) => `sent ${of('type')}, which is not a known message`,
  'protocol.message.warning': (of) => `got a warning: ${of('message') || of('reason')}`,
  'tree.edit.rejected': (of) => withReason(`rejected an edit of ${of('path')}`, of.why),
  'tree.file.restored': (of) => withReason(`restored ${of('path')}`, of.why),
  'tree.stray.removed': (of) => `removed ${of('path')}, a second copy of its file`,
  ...NODE_SENTENCES,
  'incident.opened': (of) => `opened an incident: ${of('detail')}`,
  'machine.slept': (of) => `noticed that the machine slept ${durationText(Number(of('ms')))}`,
  'ledger.rebuilt': (of) => `made a new ledger; its events begin after ${of('after')}`,
  'incident.closed': (of) => `closed an incident: ${of('kind')}`,
};

function appliedTo(of: Payload): string {
  return of('branch') === '' ? `in ${of('folder')}` : `on the branch ${of('branch')}`;
}

function counted(count: string | number, noun: string): string {
  return `${count} ${noun}${Number(count) === 1 ? '' : 's'}`;
}

function passedOf(results: readonly unknown[]): string {
  const passed = (results as readonly { readonly result: string }[]).filter(({ result }) => result === 'passed');
  return results.length === 0 ? 'no checks' : `${passed.length} of ${counted(results.length, 'check')} passed`;
}

function withReason(text: string, why: string | null): string {
  return why === null ? text : `${text} (${why})`;
}

function payloadOf({ payload }: EventView): Payload {
  const { reason = null, cause = null } = payload as Partial<TaskReason>;
  const list = (name: string) => (Array.isArray(payload[name]) ? payload[name] : []);
  return Object.assign((name: string) => textOf(payload[name]), { why: reasonText({ reason, cause }), list });
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}
