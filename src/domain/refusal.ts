import type { OrderFailure } from './failure-code.ts';
import { failureOfCode, type RecordCode, recordCode } from './failure-code.ts';
import type { OrderField } from './order/order-field.ts';

/** Advice for a code: whether the same call may succeed later, and what to do now. */
export interface RefusalAdvice {
  readonly retryable: boolean;
  readonly hint: string;
}

const final = (hint: string): RefusalAdvice => ({ retryable: false, hint });
const later = (hint: string): RefusalAdvice => ({ retryable: true, hint });

/** Hints about a task, with its name in the commands. */
const TASK_HINTS = {
  'heartbeat-missed': (task: string) => `see what the agent was doing: baton logs ${task}`,
  'model-unavailable': (task: string) => `try later, or give it to another agent: baton continue --agent NAME ${task}`,
  'all-models-failed': (task: string) => `see how each attempt ended: baton events --task ${task}`,
  'process-crashed': (task: string) => `see its last output: baton logs ${task}`,
  unknown: (task: string) => `see what happened: baton events --task ${task}`,
  invalid_transition: (task: string) =>
    `baton task show ${task} shows its status; docs/task-lifecycle.md lists what may follow`,
  changed_since: (task: string) => `baton undo ${task} --keep saves your changes of these files, then undoes the work`,
  merge_conflict: (task: string) =>
    `commit or put away the files named, or take the work as a branch: baton apply ${task} --branch B`,
  executed_by_git: (task: string) => `read the named files first: baton diff ${task}; then baton apply ${task} --yes`,
  saved_files_damaged: (task: string) =>
    `put back the folder shadows from a copy of the data folder, then run this again; baton task show ${task} and baton logs ${task} still work`,
  point_not_found: (task: string) => `baton rewind ${task} lists its points`,
  work_removed: (task: string) => `baton task show ${task}, baton logs ${task} and its receipt still tell what it did`,
  question_answered: (task: string) => `baton events --task ${task} shows its answer`,
  review_answered: (task: string) =>
    `baton review list shows what waits for you; baton events --task ${task} shows the answer`,
  node_stopped: (task: string) => `baton run ${task} continues it`,
} as const;

/** Codes whose hint names a task. */
export type TaskCode = keyof typeof TASK_HINTS;

/** The advice of the table, where no task is known. */
const finalFor = (code: TaskCode) => final(TASK_HINTS[code]('TASK'));
const laterFor = (code: TaskCode) => later(TASK_HINTS[code]('TASK'));

/** Orders and their runs: the codes that people see in reports. */
const ORDER_CODES = {
  timeout: later('raise the timeout of the task, or split the task'),
  'heartbeat-missed': laterFor('heartbeat-missed'),
  'unreadable-message': final('send JSON, or AOP v1 markdown; baton check FILE shows where it breaks'),
  'invalid-message': final('correct the named fields; baton schema aop TASK shows the form'),
  'agent-not-found': final('name an agent that baton agents lists, or add it to the configuration'),
  'model-unavailable': laterFor('model-unavailable'),
  'all-models-failed': laterFor('all-models-failed'),
  'file-not-found': final('make the file, or correct its path'),
  'permission-denied': final(
    'if the vendor rejected the login, log in again; otherwise grant the access or request less',
  ),
  'message-too-large': final('make the message smaller: refer to files instead of quoting them'),
  'near-size-limit': final('shorten the field; it was accepted all the same'),
  'malformed-answer': later(
    "run the vendor's program by hand to see its error; for your own agent, check its answer against baton schema aop RESPONSE",
  ),
  'dependency-failed': final('fix and retry the task it depends on'),
  'delegation-too-deep': final('delegate from a task closer to the root'),
  'process-crashed': laterFor('process-crashed'),
  'budget-exceeded': final('raise the budget, or give the task in smaller parts'),
  'rollback-failed': final('restore the file by hand: its snapshot was kept'),
  unknown: laterFor('unknown'),
} as const satisfies Record<OrderFailure, RefusalAdvice>;

/** Requests for feedback and their answers. */
const FEEDBACK_CODES = {
  INVALID_REQUEST: final('correct the named fields; baton schema afp request shows the form'),
  UNSUPPORTED_MEDIA_TYPE: final('send the artifact in a media type the provider lists'),
  INTERNAL_ERROR: later('send the same request again'),
  INVALID_RESPONSE: later('fix the provider: baton schema afp response shows the form'),
  INVALID_STREAM: later('fix the tool: each line is step_start, text or step_finish'),
} as const satisfies Record<string, RefusalAdvice>;

/** Messages about a task, and who may send them. */
const TASK_MESSAGE_CODES = {
  invalid_json: final('send one JSON object, or AOF/1 and one JSON object'),
  invalid_envelope: final('correct the named fields; baton schema aof shows the form'),
  unknown_type: final('use one of the five message types of AOF/1'),
  payload_too_large: final('make the message smaller: refer to files instead of quoting them'),
  task_not_found: final('name a task that baton task list shows'),
  parent_not_found: final('name a parent that baton task list shows'),
  taskId_mismatch: final('give the same taskId in the envelope and in the payload'),
  nested_delegation: final('do the work yourself: a delegated task cannot be delegated again'),
  unauthorized_agent: final('only the agent that holds the task may say this; claim it first'),
  stale_run: final('this run has ended; claim the task again'),
  invalid_run_result: final('fix run_result.json; baton schema aof run_result shows the form'),
  invalid_transition: finalFor('invalid_transition'),
  project_mismatch: final('send it to the data folder of that project'),
} as const satisfies Record<string, RefusalAdvice>;

/** Codes for tasks and the ledger that no document defines. */
const LEDGER_CODES = {
  already_claimed: later('wait until its run ends, or take another task'),
  dependencies_open: later('finish the tasks it depends on first'),
  resource_busy: later('wait until the task that holds the resource ends'),
  dependency_cycle: final('leave out the dependency that closes the circle'),
  not_running: final('baton status shows what runs and waits'),
  invalid_argument: final('see the command with --help'),
  ambiguous_task: final('name one of the candidates'),
  ambiguous_session: final('name one of the candidates by its id'),
  idempotency_key_reused: final('use a new key for a new request'),
  storage_full: later('free some space; nothing was changed'),
  ledger_damaged: final(
    'baton restore FILE, with a file that baton backup made; without one: baton rebuild --from tree',
  ),
  events_lost: final(
    'baton restore FILE, or baton rebuild --from tree keeps the tasks of the files, or continue without: baton rebuild --from ledger --accept-loss',
  ),
  ledger_unusable: final('check the folder, or name another one: --data FOLDER'),
  damaged_backup: final('restore another copy; the present ledger was not touched'),
  foreign_backup: final('restore a file that baton backup made; the present ledger was not touched'),
  newer_schema: final('use the newer Baton that wrote it'),
  inside_data_folder: final('name a file outside of every data folder'),
  file_exists: final('name another file, or write over it with --force'),
  unreadable_file: final('check the path'),
  unwritable_file: final('check the path and its permissions'),
  changed_since: finalFor('changed_since'),
  merge_conflict: finalFor('merge_conflict'),
  branch_exists: final('name another branch'),
  executed_by_git: finalFor('executed_by_git'),
  workspace_failed: later('fix what is said there, then run the command again'),
  saved_files_damaged: finalFor('saved_files_damaged'),
  point_not_found: finalFor('point_not_found'),
  work_removed: finalFor('work_removed'),
  question_not_found: final('baton status lists the open questions'),
  ambiguous_question: final('name the question by its id'),
  question_answered: finalFor('question_answered'),
  session_not_found: final('baton session list shows the sessions'),
  review_not_found: final('baton review list shows what waits for you'),
  review_answered: finalFor('review_answered'),
  node_stopped: laterFor('node_stopped'),
  not_served: final('baton check FILE judges it; this version of Baton cannot act on it'),
} as const satisfies Record<string, RefusalAdvice>;

/** The trace of a run, and other nodes. */
const TRACE_AND_NODE_CODES = {
  invalid_turn: final('correct the named fields; baton schema saop turn shows the form'),
  invalid_event: final('correct the named fields; baton schema saop event shows the form'),
  turn_index_taken: final('give the turn the next free index'),
  event_id_taken: final('give each event an id of its own, a new UUID'),
  call_id_taken: final('give each tool call an id of its own'),
  call_not_open: final('send TOOL_LIFECYCLE_INVOKED before TOOL_LIFECYCLE_COMPLETED, and each once'),
  thought_ended: final('set is_final in the last chunk of a turn only'),
  invalid_payload: final('fix the payload; baton schema runtime KIND shows the form'),
  invalid_record: final('fix the record; baton schema runtime shows the forms'),
  invalid_targets: final('name agents that exist'),
  missing_route_fields: final('give toAgents, or requiredCapabilities'),
  no_route: later('publish a capability that fits, or name the agents'),
  invalid_capability: final('fix the capability; baton schema runtime catalog shows the form'),
  capability_unavailable: later('wait until its owner is back, or name another'),
  version_incompatible: final('ask for a version that is published'),
  owner_unavailable: later('wait until the owner is active'),
  overloaded: later('try again later'),
  not_joined: final('baton node join --folder DIR, or baton node join nats://HOST:4222'),
  node_name_taken: final('choose another name: baton node join … --node NAME'),
  broker_unreachable: later('check the address, and that the server runs: docs/operating.md'),
  node_not_found: final('baton node status lists the nodes of the federation'),
  message_not_found: final('baton message read --all lists the messages'),
  incident_not_found: final('baton status lists what is wrong'),
  key_differs: final('compare the key with what baton node status prints on that node'),
  work_too_large: final(
    'give the task in smaller parts, have git ignore the files named, or raise federation.work_mib',
  ),
  parcel_refused: final('nothing of it was used; ask the operator of the other node'),
  parcel_incomplete: later('send it again: only what is missing travels'),
  parcel_base_missing: later('send it again with all files'),
} as const satisfies Record<string, RefusalAdvice>;

/** External agents (runtime:external-agents). */
const AUTH_CODES = {
  use_dpop_nonce: later('send it again with a new proof that has the nonce of the DPoP-Nonce header'),
  invalid_dpop_proof: final('make the proof as RFC 9449 has it: docs/external-agents.md'),
  invalid_invite: final('ask for a new invite'),
  expired_invite: final('ask for a new invite'),
  invite_used: final('ask for a new invite: each works once'),
  invalid_access_token: final('exchange the refresh token for a new one'),
  expired_access_token: later('exchange the refresh token for a new one'),
  invalid_refresh_token: final('ask for a new invite'),
  scope_denied: final('ask for an invite with this scope'),
  replay_detected: final('make a new proof for each call'),
  rate_limited: later('wait a minute'),
} as const satisfies Record<string, RefusalAdvice>;

/** Every code of the kernel: of a refusal, and of the failure of an order. A closed set. */
const ADVICE = {
  ...ORDER_CODES,
  ...FEEDBACK_CODES,
  ...TASK_MESSAGE_CODES,
  ...LEDGER_CODES,
  ...TRACE_AND_NODE_CODES,
  ...AUTH_CODES,
} as const;

export type FailureCode = keyof typeof ADVICE;

/** A code as callers and other programs read it. */
export type RefusalCode = RecordCode<FailureCode>;

/** Every code a refusal may carry. */
export const REFUSALS = Object.fromEntries(
  Object.entries(ADVICE).map(([code, advice]) => [recordCode(code), advice]),
) as { readonly [Code in FailureCode as RecordCode<Code>]: (typeof ADVICE)[Code] };

/** The kernel's own code of one that a refusal, a record or another node names. */
export function failureCodeOf(code: RefusalCode): FailureCode {
  return failureOfCode(code) ?? (code as FailureCode);
}

/** An error of the caller or the outside: a value, never thrown. */
export interface Refusal extends RefusalAdvice {
  readonly kind: 'refusal';
  readonly code: RefusalCode;
  readonly message: string;
  /** JSON Pointer to the invalid field of the caller's request or message; empty if it is no field. */
  readonly path: string;
  /** The invalid field of an order, until its edge has found the path (`OrderEdge.locate`). */
  readonly field?: OrderField;
  /** The invalid part of any other message, until the receiver of its protocol has found the path. */
  readonly part?: MessagePart;
  /** The place of the order in its session file, likewise. */
  readonly member?: number;
  /** The items that the message refers to, one per line. */
  readonly details?: readonly string[];
  /** Further problems, each with its own path. */
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
}

/** The failure of an order that was refused. */
export function failureOfRefusal({ code, message }: Pick<Refusal, 'code' | 'message'>): {
  code: FailureCode;
  message: string;
} {
  return { code: failureCodeOf(code), message };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'refusal';
}

/** Codes whose hint names no task. */
export type PlainCode = Exclude<FailureCode, TaskCode>;

/** Refuses something whose hint names no task; `refuseTask` refuses the rest. */
export function refuse(code: PlainCode, message: string, path = ''): Refusal {
  return { kind: 'refusal', code: recordCode(code), message, path, ...ADVICE[code] };
}

/** Refuses something about a task, which the hint names. */
export function refuseTask(code: TaskCode, message: string, task: string): Refusal {
  return { kind: 'refusal', code: recordCode(code), message, path: '', ...ADVICE[code], hint: TASK_HINTS[code](task) };
}

/** The hint of a code, with the name of the task that it is about. */
export function hintFor(code: FailureCode, task: string): string {
  return Object.hasOwn(TASK_HINTS, code) ? TASK_HINTS[code as TaskCode](task) : ADVICE[code].hint;
}

export function refuseField(code: PlainCode, message: string, field: OrderField): Refusal {
  return { ...refuse(code, message), field };
}

/** The parts of a message about a run that a refusal may be about. */
export type MessagePart = 'task' | 'agent' | 'turn-index' | 'event-id' | 'thought' | 'tool-call';

export function refusePart(code: PlainCode, message: string, part: MessagePart): Refusal {
  return { ...refuse(code, message), part };
}
