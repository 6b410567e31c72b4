import { reasonSentence, type TaskReason } from '../task/task-reason.ts';
import { counted } from '../words/counted.ts';
import { settledWord } from '../words/verdict-words.ts';
import { EVENT_TYPES, type EventType } from './ledger-event.ts';

// One table for the terminal and the dashboard. It has no imports of the outside: browsers run it too.

type Payload = Readonly<Record<string, unknown>>;

/** An event of the log, as far as its sentence needs it. */
export interface ToldEvent {
  readonly type: string;
  readonly payload: Payload;
}

/** Instants and durations in the words of the place that shows them. */
export interface TimeWords {
  at(instant: string): string;
  duration(ms: number): string;
}

interface EventWords {
  /** A field as text; empty where it is absent. */
  of(name: string): string;
  list(name: string): readonly unknown[];
  /** Why it happened; empty without a reason. */
  readonly why: string;
  readonly words: TimeWords;
  readonly payload: Payload;
}

type Sentence = (told: EventWords) => string;
type TaskEvent = Extract<
  EventType,
  `task.${string}` | `delegation.${string}` | `words.${string}` | `question.${string}`
>;
type RunEvent = Extract<EventType, `run.${string}`>;
type WorkEvent = Extract<EventType, `order.${string}` | `work.${string}` | 'workspace.recorded'>;
type TraceEvent = Extract<EventType, 'turn.recorded' | `trace.${string}`>;
type PeerEvent = Extract<EventType, `session.${string}` | `feedback.${string}` | `review.${string}`>;
type ExternalEvent = Extract<EventType, `external.${string}`>;
type NodeEvent = Extract<
  EventType,
  `message.${string}` | `delivery.${string}` | `federation.${string}` | `capability.${string}` | `skill.${string}`
>;

/** The rest of a sentence that begins with the actor of the event. A newer node may have other types: they are named. */
export function eventSentence({ type, payload }: ToldEvent, words: TimeWords): string {
  if (!TYPES.has(type)) return type;
  const { reason = null, cause = null } = payload as Partial<TaskReason>;
  return SENTENCES[type as EventType]({
    of: (name) => textOf(payload[name]),
    list: (name) => (Array.isArray(payload[name]) ? payload[name] : []),
    why: reasonSentence({ reason, cause }) ?? '',
    words,
    payload,
  });
}

const TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);

const TASK_SENTENCES: Readonly<Record<TaskEvent, Sentence>> = {
  'task.created': ({ of }) => `created it: ${of('title')}`,
  'task.transitioned': ({ of, why }) => withReason(`moved it from ${of('from')} to ${of('to')}`, why),
  'task.claimed': ({ of, words }) => `claimed it${of('expiresAt') && ` until ${words.at(of('expiresAt'))}`}`,
  'task.edited': ({ of, why }) => withReason(`edited ${of('fields').replaceAll(',', ', ')}`, why),
  'task.rewound': ({ of }) => `rewound it to point ${of('point')}`,
  'task.completed': ({ of }) => `reported ${of('outcome').replace('_', ' ')}`,
  'task.logged': ({ of }) => `added to its work log: ${of('entry')}`,
  'task.sent': ({ of }) => `sent it to ${of('to')}`,
  'task.taken': ({ of, words }) =>
    `accepted it on ${of('node')}, to be done by ${words.at(of('etaAt'))}${of('plan') && `: ${of('plan')}`}`,
  'task.told': ({ of }) => withReason(`said that it is ${of('status').replace('_', ' ')}`, of('note')),
  'task.strayed': ({ of }) => `lost it: ${of('why')}`,
  'task.recalled': ({ of }) => withReason(`told ${of('nodes')} to stop`, of('why')),
  'task.overdue': ({ of, words }) => `was to be done by ${words.at(of('etaAt'))}, and is late`,
  'task.answered': ({ of, payload }) =>
    withReason(`answered from ${of('node')}: ${settledWord(payload) ?? of('signal')}`, of('message')),
  'task.answer_refused': ({ of }) => withReason(`sent ${of('kind')}, which does not count`, of('why')),
  'task.brought': ({ of }) => withReason('brought the result here', of('problem')),
  'task.received': ({ of, words }) =>
    `accepted it for ${of('from')} on ${of('node')}, to be done by ${words.at(of('etaAt'))}`,
  'task.returned': ({ of }) => withReason(`answered ${of('node')}: ${of('kind').replace('_', ' ')}`, of('message')),
  'delegation.requested': ({ of }) => `handed it to ${of('toAgent')}`,
  'delegation.accepted': () => 'accepted the handoff',
  'delegation.rejected': ({ why }) => withReason('rejected the handoff', why),
  'words.said': ({ of }) => `said to the agent: ${of('text')}`,
  'words.delivered': ({ of }) => (of('by') === 'stream' ? 'told the running agent' : 'told the agent with its prompt'),
  'question.asked': ({ of }) => `asked to ${of('what')}`,
  'question.answered': ({ of }) => withReason(`answered ${of('answer')}`, of('reason')),
};

const WORK_SENTENCES: Readonly<Record<WorkEvent, Sentence>> = {
  'order.admitted': ({ of }) =>
    `accepted the order${of('agent') && ` for ${of('agent')}`}${of('sandbox') === 'none' ? ', not sandboxed' : ''}`,
  'order.snapshotted': ({ list }) =>
    `recorded the state before the work${list('checks').length === 0 ? '' : `: ${passedOf(list('checks'))}`}`,
  'order.unanswered': ({ of }) => withReason('found no agent for it', of('message')),
  'order.requeued': ({ of, why, words }) =>
    withReason(`queued it again${of('dueAt') && ` for ${words.at(of('dueAt'))}`}`, why),
  'order.stop_requested': () => 'asked to stop it',
  'order.rolled_back': ({ list }) => `rolled back ${counted(list('files').length, 'file')}`,
  'order.settled': ({ of, payload }) =>
    withReason(`settled the order: ${settledWord(payload) ?? of('signal')}`, of('message')),
  'order.reported': () => 'wrote the report',
  'work.applied': ({ of }) => `applied its work: ${countedIn(of('files'), 'file')} ${appliedTo(of)}`,
  'work.undone': ({ of, list }) => `undid its work: ${undoneOf(of('files'), list('beside'))} in ${of('folder')}`,
  'work.continued': ({ of }) => `handed its worktree over to ${of('inTask')}`,
  'work.discarded': ({ of }) => `discarded its work: ${countedIn(of('files'), 'file')}`,
  'work.cleaned': () => 'removed its saved files: diff, apply and undo cannot use them any more',
  'work.overlapped': ({ of, list }) =>
    `saw that ${of('with') === 'person' ? 'a person' : of('with')} changes the same files: ${namedOf(list('paths'), of('files'))}`,
  'workspace.recorded': ({ of }) => `saved the files after turn ${Number(of('turnIndex')) + 1}`,
};

const RUN_SENTENCES: Readonly<Record<RunEvent, Sentence>> = {
  'run.ended': ({ of, why }) => withReason(`ended its run, ${of('status')}`, why),
  'run.launched': ({ of }) => `started the agent${of('resumed') && `, to resume its session ${of('resumed')}`}`,
  'run.exited': ({ of }) => withReason(`recorded the end of the agent: ${of('end')}`, of('message')),
  'run.collected': ({ of }) => `found ${countedIn(of('changed'), 'changed file')}`,
  'run.verified': ({ list }) => `checked the work: ${passedOf(list('results'))}`,
  'run.progressed': ({ of }) => (of('isBeat') ? 'gave a sign of life' : `reported progress: ${progressWords(of)}`),
  'run.warned': ({ of }) => `got a warning: ${of('message')}`,
  'run.thought': ({ of }) => `thought: ${of('text')}`,
  'run.spoke': ({ of }) => `said: ${of('text')}`,
  'run.retried': ({ of }) => `asked its model again, try ${of('attempt')}: ${of('message')}`,
  'run.tool_started': ({ of }) => `called ${of('tool')}: ${of('input')}`,
  'run.tool_ended': ({ of }) => `got the result of ${of('tool')}: ${of('result')}`,
  'run.question_asked': ({ of }) => `asked: ${of('text')}`,
  'run.quota_reached': ({ of }) => withReason('reached the quota of its vendor', of('message')),
  'run.session_opened': ({ of }) =>
    `opened session ${of('id')} with its vendor${of('model') && `, model ${of('model')}`}`,
};

const ENTROPY_ACTIONS: Readonly<Record<string, string>> = {
  notify: 'you are told',
  pivot: 'it is asked for another approach',
  escalate: 'its priority rises',
  pause: 'it waits for a person',
};

const TRACE_SENTENCES: Readonly<Record<TraceEvent, Sentence>> = {
  'turn.recorded': ({ of }) => `ended turn ${Number(of('turnIndex')) + 1}`,
  'trace.event_recorded': ({ of, payload }) =>
    of('lines') === '' ? tracedSentence(of('kind'), payload) : `printed ${countedIn(of('lines'), 'line')}`,
  'trace.entropy_detected': ({ of }) =>
    `saw that a run goes nowhere: ${of('text')}; ${ENTROPY_ACTIONS[of('action')] ?? of('action')}`,
};

/** Sessions, feedback and reviews. */
const PEER_SENTENCES: Readonly<Record<PeerEvent, Sentence>> = {
  'session.submitted': ({ of }) => `submitted a session: ${countedIn(of('tasks'), 'task')}, ${of('pattern')}`,
  'session.joined': ({ of }) => `added ${of('tasks') === '' ? 'it' : countedIn(of('tasks'), 'task')} to the session`,
  'session.stopped': ({ of }) => withReason('stopped the session', of('message')),
  'session.reopened': ({ of }) => `continues the session: ${countedIn(of('tasks'), 'task')}`,
  'session.reported': ({ of }) => `wrote the final report of the session: ${of('signal')}`,
  'feedback.asked': ({ of }) => `asked ${of('agent')} for feedback on ${of('artifact')}, iteration ${of('iteration')}`,
  'feedback.answered': ({ of }) =>
    of('status') === 'success'
      ? `gave feedback: ${countedIn(of('findings'), 'finding')}`
      : `gave no feedback: ${of('code')}: ${of('message')}`,
  'feedback.lost': ({ of }) => `lost iteration ${of('iteration')}: the node ended first`,
  'feedback.opened': ({ of, list }) =>
    `asks ${list('reviewers').join(', ')} for feedback on ${of('subject')}, in rounds`,
  'feedback.decided': ({ of }) =>
    `decided on round ${of('round')}: ${of('accepted')} accepted, ${of('partial')} in part, ${of('rejected')} rejected`,
  'feedback.fixing': ({ of }) => `had ${of('task')} deal with ${countedIn(of('items'), 'finding')}`,
  'feedback.ended': ({ of }) =>
    withReason(
      `ended the feedback after round ${of('rounds')}: ${of('left')} of ${countedIn(of('items'), 'finding')} left`,
      of('message'),
    ),
  'review.approved': ({ of }) => withReason('approved it', of('message')),
  'review.returned': ({ list }) => `returned it with ${counted(list('items').length, 'item')}`,
};

/** Other machines, and messages between agents. */
const NODE_SENTENCES: Readonly<Record<NodeEvent, Sentence>> = {
  'message.sent': ({ of }) => `sent a message to ${of('to')}${of('subject') && `: ${of('subject')}`}`,
  'message.received': ({ of }) => `sent ${of('to')} a message${of('subject') && `: ${of('subject')}`}`,
  'message.told': ({ list }) => `was told ${list('events').join(', ')}`,
  'message.read': ({ of }) => `read the message ${of('eventId')}`,
  'delivery.failed': ({ of }) => `refused ${of('eventId')}`,
  'capability.published': ({ of }) => `published ${of('capabilityId')} ${of('version')} of ${of('agent')}`,
  'capability.removed': ({ of }) => `removed ${of('capabilityId')} ${of('version')} of ${of('agent')}`,
  'capability.review_opened': ({ of }) => `opened a review of ${of('capabilityId')}: ${of('failureClass')}`,
  'capability.review_closed': ({ of }) =>
    withReason(`closed the review ${of('reviewId')} of ${of('capabilityId')}`, of('note')),
  'capability.route_failed': ({ of }) => `found no route to ${of('capabilityId')}: ${of('code')}`,
  'skill.confirmed': ({ of }) => `has the skill ${of('skill')} ${of('version')} on ${of('node')}`,
  'skill.refused': ({ of }) => withReason(`did not install the skill ${of('skill')} ${of('version')}`, of('reason')),
  'skill.distributed': ({ of }) =>
    `all ${countedIn(of('agents'), 'agent')} have the skill ${of('skill')} ${of('version')}`,
  'skill.installed': ({ of }) => `sent the skill ${of('skill')} ${of('version')}, which is installed`,
  'delivery.given_up': ({ of }) => withReason(`gave up sending ${of('eventId')} to ${of('to')}`, of('reason')),
  'federation.gap_passed': ({ of }) =>
    `lost events ${of('first')} to ${of('last')} of node ${of('node')}: ${of('policy')}`,
  'federation.epoch_begun': ({ of }) => `began the outbox anew: ${of('epoch')}`,
  'federation.frame_refused': ({ of }) => withReason(`sent event ${of('seq')}, which was refused`, of('reason')),
};

const REVOKED: Readonly<Record<string, string>> = {
  refresh_token_reused: 'its refresh token was used a second time',
  ledger_restored: 'an earlier copy of the ledger was restored',
};

/** External agents. */
const EXTERNAL_SENTENCES: Readonly<Record<ExternalEvent, Sentence>> = {
  'external.invited': ({ of, list }) => `invited ${of('agent')} for ${list('scopes').join(', ')}`,
  'external.invite_revoked': ({ of }) => `revoked an invite for ${of('agent')}`,
  'external.enrolled': ({ of, list }) => `enrolled with the key ${of('keyId')} for ${list('scopes').join(', ')}`,
  'external.revoked': ({ of }) => withReason(`revoked ${of('agent')}`, REVOKED[of('why')] ?? ''),
  'external.refused': ({ of }) => `asked for ${of('operation')} and was refused: ${of('code')}`,
};

const SENTENCES: Readonly<Record<EventType, Sentence>> = {
  ...TASK_SENTENCES,
  ...WORK_SENTENCES,
  ...RUN_SENTENCES,
  ...TRACE_SENTENCES,
  ...PEER_SENTENCES,
  ...NODE_SENTENCES,
  ...EXTERNAL_SENTENCES,
  'protocol.message.received': ({ of }) => `sent ${of('type')}`,
  'protocol.message.rejected': ({ of }) => `sent ${of('type') || 'a message'}, which was rejected: ${of('reason')}`,
  'protocol.message.unknown': ({ of }) => `sent ${of('type')}, which is not a known message`,
  'protocol.message.warning': ({ of }) => `got a warning: ${of('message') || of('reason')}`,
  'tree.edit.rejected': ({ of, why }) => withReason(`rejected an edit of ${of('path')}`, of('message') || why),
  'tree.file.restored': ({ of, why }) => withReason(`restored ${of('path')}`, why),
  'tree.stray.removed': ({ of }) => `removed ${of('path')}, a second copy of its file`,
  'incident.opened': ({ of }) => `opened an incident: ${of('detail')}`,
  'incident.closed': ({ of }) => `closed an incident: ${of('kind')}`,
  'machine.slept': ({ of, words }) => `noticed that the machine slept ${words.duration(Number(of('ms')))}`,
  'ledger.rebuilt': ({ of }) => `made a new ledger; its events begin after ${of('after')}`,
};

/** An event of SAOP in words, by its payload where the event of the ledger carries it. */
function tracedSentence(kind: string, { message }: Payload): string {
  const { payload = {} } = (message ?? {}) as { readonly payload?: Payload };
  const [chunk, tool] = [textOf(payload['chunk']).trim(), textOf(payload['tool'])];
  if (kind === 'THOUGHT_STREAM' && chunk !== '') return `thinks: ${chunk.split('\n', 1)[0]}`;
  if (kind === 'THOUGHT_STREAM' && payload['is_final'] === true) return 'ended its thought';
  if (kind === 'TOOL_LIFECYCLE_INVOKED' && tool !== '') return `invoked ${tool}`;
  if (kind === 'TOOL_LIFECYCLE_COMPLETED' && tool !== '') return `completed ${tool}: ${textOf(payload['status'])}`;
  return `recorded ${kind || 'an event'}`;
}

const NAMED_MAX = 3;

function namedOf(paths: readonly unknown[], files: string): string {
  const rest = Number(files) - NAMED_MAX;
  return `${paths.slice(0, NAMED_MAX).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function progressWords(of: EventWords['of']): string {
  return [of('percentage') && `${of('percentage')} %`, of('phase'), of('text')].filter(Boolean).join(', ');
}

function appliedTo(of: EventWords['of']): string {
  if (of('branch') !== '') return `on the branch ${of('branch')}`;
  return of('folder') && `in ${of('folder')}`;
}

function countedIn(count: string, noun: string): string {
  return counted(Number(count), noun);
}

function undoneOf(files: string, beside: readonly unknown[]): string {
  const counts = Number(files) === 0 && beside.length > 0 ? [] : [countedIn(files, 'file')];
  return [...counts, ...beside.map(String)].join(', ');
}

function passedOf(results: readonly unknown[]): string {
  const passed = (results as readonly { readonly result: string }[]).filter((each) => each?.result === 'passed');
  return results.length === 0 ? 'no checks' : `${passed.length} of ${counted(results.length, 'check')} passed`;
}

function withReason(text: string, why: string): string {
  return why === '' ? text : `${text} (${why.split('\n', 1)[0]})`;
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}
