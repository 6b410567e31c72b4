import type { EventView } from '../../src/api/contract.ts';
import { counted, durationText } from './format.ts';

type Of = (name: string) => string;
type Sentence = (of: Of, payload: EventView['payload']) => string;

const SESSION_SENTENCES: Readonly<Record<string, Sentence>> = {
  'session.submitted': (of) => `submitted a session of ${counted(Number(of('tasks')), 'task')}`,
  'session.joined': (of) => `added ${of('tasks') === '' ? 'it' : counted(Number(of('tasks')), 'task')} to the session`,
  'session.stopped': (of) => withReason('stopped the session', of('message')),
  'session.reopened': (of) => `goes on with the session: ${counted(Number(of('tasks')), 'task')}`,
  'session.reported': (of) => `wrote the final report of the session: ${of('signal')}`,
};

const FEEDBACK_SENTENCES: Readonly<Record<string, Sentence>> = {
  'feedback.asked': (of) => `asked ${of('agent')} for feedback on ${of('artifact')}`,
  'feedback.answered': (of) =>
    of('status') === 'success'
      ? `gave feedback: ${counted(Number(of('findings')), 'finding')}`
      : withReason('gave no feedback', of('message')),
  'feedback.lost': (of) => `lost iteration ${of('iteration')}: the node ended first`,
  'feedback.opened': (of) => `asked for feedback on ${of('subject')}, in rounds`,
  'feedback.decided': (of) =>
    `decided on round ${of('round')}: ${of('accepted')} accepted, ${of('partial')} in part, ${of('rejected')} rejected`,
  'feedback.fixing': (of) => `gave ${counted(Number(of('items')), 'finding')} to ${of('task')}`,
  'feedback.ended': (of) =>
    withReason(`ended the feedback: ${of('left')} of ${of('items')} findings left`, of('message')),
};

const FEDERATION_SENTENCES: Readonly<Record<string, Sentence>> = {
  'message.sent': (of) => `sent a message to ${of('to')}${of('subject') && `: ${of('subject')}`}`,
  'message.received': (of) => `sent ${of('to')} a message${of('subject') && `: ${of('subject')}`}`,
  'message.read': (of) => `read the message ${of('eventId')}`,
  'delivery.failed': (of) => `refused ${of('eventId')}`,
  'delivery.given_up': (of) => withReason(`gave up sending ${of('eventId')} to ${of('to')}`, of('reason')),
  'federation.gap_passed': (of) => `lost events ${of('first')} to ${of('last')} of node ${of('node')}: ${of('policy')}`,
  'federation.epoch_begun': (of) => `began the outbox anew: ${of('epoch')}`,
  'federation.frame_refused': (of) => withReason(`sent event ${of('seq')}, which was refused`, of('reason')),
};

const SENTENCES: Readonly<Record<string, Sentence>> = {
  ...SESSION_SENTENCES,
  ...FEEDBACK_SENTENCES,
  ...FEDERATION_SENTENCES,
  'workspace.recorded': (of) => `saved the files after turn ${Number(of('turnIndex')) + 1}`,
  'trace.entropy_detected': (of) => `saw that a run goes nowhere: ${of('text')}`,
  'tree.stray.removed': (of) => `removed ${of('path')}, a second copy of its file`,
  'ledger.rebuilt': (of) => `made a new ledger; its events begin after ${of('after')}`,
  'machine.slept': (of) => `noticed that the machine slept for ${durationText(Number(of('ms')))}`,
  'task.created': (of) => `created it: ${of('title')}`,
  'task.transitioned': (of) => withReason(`moved it from ${of('from')} to ${of('to')}`, of('reason')),
  'task.claimed': () => 'took it',
  'task.edited': (of) => withReason(`edited ${of('fields').replaceAll(',', ', ')}`, of('reason')),
  'task.rewound': (of) => `rewound it to point ${of('point')}`,
  'task.completed': (of) => `reported ${of('outcome').replace('_', ' ')}`,
  'task.logged': (of) => `added to its work log: ${of('entry')}`,
  'run.ended': (of) => withReason(`ended its run, ${of('status')}`, of('reason')),
  'order.admitted': (of, { sandbox }) =>
    `accepted the order for ${of('agent')}${sandbox === 'none' ? ', not sandboxed' : ''}`,
  'order.snapshotted': (_of, { checks }) => `recorded the state before the work${checksText(checks)}`,
  'order.unanswered': (of) => `found no agent for it: ${of('message')}`,
  'order.requeued': (of) => withReason('queued it again', of('reason')),
  'order.stop_requested': () => 'asked to stop it',
  'order.rolled_back': (_of, { files }) => `rolled back ${counted(lengthOf(files), 'file')}`,
  'order.settled': (of) => `settled it: ${of('message') || of('signal')}`,
  'order.reported': () => 'wrote the report',
  'work.applied': (of) =>
    `applied the work: ${counted(Number(of('files')), 'file')}${of('branch') && ` on the branch ${of('branch')}`}`,
  'work.undone': (of) => `undid the work: ${counted(Number(of('files')), 'file')}`,
  'work.continued': (of) => `handed its worktree over to ${of('inTask')}`,
  'work.discarded': (of) => `discarded the work: ${counted(Number(of('files')), 'file')}`,
  'work.cleaned': () => 'removed its saved files',
  'run.launched': (of) => `started the agent${of('resumed') && ', to go on in its earlier session'}`,
  'run.exited': (of) => withReason(`the agent ended: ${of('end')}`, of('message')),
  'run.collected': (of) => `found ${counted(Number(of('changed')), 'changed file')}`,
  'run.verified': (_of, { results }) => `checked the work${checksText(results)}`,
  'run.progressed': (of) =>
    `reported progress: ${[of('percentage') && `${of('percentage')} %`, of('phase'), of('text')].filter(Boolean).join(', ')}`,
  'run.warned': (of) => `got a warning: ${of('message')}`,
  'turn.recorded': (of) => `turn ${Number(of('turnIndex')) + 1}`,
  'trace.event_recorded': (of) => [of('kind'), of('tool')].filter(Boolean).join(' '),
  'run.thought': (of) => `thought: ${of('text')}`,
  'run.spoke': (of) => `said: ${of('text')}`,
  'run.retried': (of) => `asked its model again, try ${of('attempt')}: ${of('message')}`,
  'run.tool_started': (of) => `called ${of('tool')}: ${of('input')}`,
  'run.tool_ended': (of) => `got the result of ${of('tool')}: ${of('result')}`,
  'run.question_asked': (of) => `asked: ${of('text')}`,
  'run.quota_reached': (of) => withReason('reached the quota of its vendor', of('message')),
  'run.session_opened': (of) => `opened a session with ${of('model') || 'its vendor'}`,
  'words.said': (of) => `said to the agent: ${of('text')}`,
  'words.delivered': (of) => (of('by') === 'stream' ? 'told the running agent' : 'told the agent with its prompt'),
  'question.asked': (of) => `asked to ${of('what')}`,
  'question.answered': (of) => withReason(`answered ${of('answer')}`, of('reason')),
  'review.approved': (of) => withReason('approved it', of('message')),
  'review.returned': (_of, { items }) => `sent it back with ${counted(lengthOf(items), 'point')}`,
  'delegation.requested': (of) => `handed it to ${of('toAgent')}`,
  'delegation.accepted': () => 'accepted the handoff',
  'delegation.rejected': (of) => withReason('rejected the handoff', of('reason')),
  'protocol.message.received': (of) => `sent ${of('type')}`,
  'protocol.message.rejected': (of) => `sent ${of('type') || 'a message'}, which was rejected: ${of('reason')}`,
  'protocol.message.unknown': (of) => `sent ${of('type')}, which is not a known message`,
  'protocol.message.warning': (of) => `got a warning: ${of('message') || of('reason')}`,
  'tree.edit.rejected': (of) => withReason(`rejected an edit of ${of('path')}`, of('reason')),
  'tree.file.restored': (of) => withReason(`restored ${of('path')}`, of('reason')),
  'incident.opened': (of) => `opened an incident: ${of('detail')}`,
  'incident.closed': (of) => `closed an incident: ${of('kind')}`,
};

/** The rest of a sentence that begins with the actor of the event. A newer node may have other types. */
export function sentenceOf({ type, payload }: EventView): string {
  const tell = Object.hasOwn(SENTENCES, type) ? SENTENCES[type] : undefined;
  return tell ? tell((name) => textOf(payload[name]), payload) : type;
}

/** An actor in words: the node's own deeds are Baton's. */
export function actorOf({ actor }: Pick<EventView, 'actor'>): string {
  return actor === 'dispatcher' ? 'Baton' : actor === 'operator' ? 'you' : actor;
}

function checksText(results: unknown): string {
  const list = Array.isArray(results) ? (results as readonly { readonly result?: string }[]) : [];
  if (list.length === 0) return '';
  const passed = list.filter(({ result }) => result === 'passed').length;
  return `: ${passed} of ${counted(list.length, 'check')} passed`;
}

function withReason(text: string, why: string): string {
  return why === '' ? text : `${text} (${why.split('\n', 1)[0]})`;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}
