import { type AgentMail, mailLines } from '../../domain/agent/agent-mail.ts';
import type { CheckResult } from '../../domain/execution/check-result.ts';
import type { Attempt } from '../../domain/execution/execution.ts';
import type { ChangedFile } from '../../domain/execution/findings.ts';
import { AOP_TASK_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import type { Order } from '../../domain/order/order.ts';
import { type PriorResult, priorLines } from '../../domain/order/prior-result.ts';
import { handoffOf, type Prompt } from '../../domain/order/prompt.ts';
import type { NoteUnreadVersion } from '../../domain/order/round.ts';
import { isJsonObject } from '../../domain/words/json-object.ts';
import { shorten } from '../../domain/words/shorten.ts';
import { isLargerThan } from '../text-size.ts';
import { encodeAop } from './encode.ts';
import { encodePriorResults } from './encode-prior.ts';
import { taskOfOrder } from './read-task-order.ts';
import type { TaskMessage } from './schema/task.ts';
import { writeV1Prompt } from './v1-prompt.ts';
import { noteFallback } from './version-fallback.ts';
import { ARTIFACT_STATUSES, aopCode } from './words.ts';

type OrderPrompt = NonNullable<Prompt['ordered']>;

/** The text that an agent is given for one attempt. */
export interface AttemptText {
  readonly text: string;
  /** The agent does not read v2, or the message failed its schema: a prompt in words. */
  readonly isV1: boolean;
}

/** The agent that makes the attempt; `versionsRead` is null where its configuration does not say what it reads. */
export interface AttemptAgent {
  readonly name: string;
  readonly versionsRead: readonly string[] | null;
}

/**
 * The TASK for the agent of the last attempt: with the number of the attempt, the model that is meant, and the result of
 * the attempt before. It stays within the size of a TASK: what is told about earlier attempts is shortened first.
 */
export function taskForAttempt(given: OrderPrompt, agent: AttemptAgent): AttemptText {
  const { order, attempts } = given;
  const task = taskOfOrder(order, given.message, given.orderedAt);
  const alternative = attempts.at(-1)?.alternative ?? null;
  const before = [...(given.continuation?.earlier ?? []), ...attempts.slice(0, -1)];
  const earlier = lastTold(before);
  const words = given.continuation?.words ?? [];
  if (!readsV2(order, { alternative, agent }))
    return { text: v1Text(task, { earlier, words, prior: given.prior ?? [], mail: given.mail ?? [] }), isV1: true };
  const number = Math.min((task.task.attempt ?? 1) + Math.max(0, attempts.length - 1), Number.MAX_SAFE_INTEGER);
  const meant = withTarget(task, order, { alternative, agent });
  const { rewoundTo } = given.continuation ?? {};
  const rewound = rewoundTo !== undefined && { rewound_to: `a person put the files back to their state ${rewoundTo}` };
  const messages = (given.mail ?? []).map(encodeMail);
  const said = (words.length > 0 || rewound || messages.length > 0) && {
    ...(words.length > 0 && { words }),
    ...rewound,
    ...(messages.length > 0 && { messages }),
  };
  const { prior = [] } = given;
  const told = before.length > 0 ? { number, earlier, left: handedOver(given), said, prior } : { number, said, prior };
  return { text: withEarlier(meant, told), isV1: false };
}

/** For a valid order whose agent does not read v2: its sender is told what a prompt in words cannot carry. */
export const noteUnreadVersion: NoteUnreadVersion = ({ order, message, agent, alternative, atMs }) => {
  // The sender of a message that failed its schema was told already.
  if (agent === undefined || order.isFallback || readsV2(order, { alternative, agent })) return null;
  const value = taskOfOrder(order, message, atMs);
  const timestamp = new Date(atMs).toISOString();
  return noteFallback({ reason: 'unread-version', value, text: encodeAop(value), errors: [], timestamp });
};

interface Doer {
  readonly alternative: number | null;
  readonly agent: AttemptAgent;
}

/** The versions that the TASK names for its target do not apply to an alternative. */
function readsV2({ target, isFallback }: Order, { alternative, agent }: Doer): boolean {
  const lists = [agent.versionsRead, alternative === null ? target.versionsRead : null];
  return !isFallback && lists.every((versions) => versions?.some((version) => version.startsWith('2.')) ?? true);
}

function withTarget(task: TaskMessage, { alternatives }: Order, { alternative, agent }: Doer): TaskMessage {
  const meant = alternative === null ? undefined : alternatives[alternative];
  if (!meant) return task;
  // The target's capabilities do not apply to an alternative.
  const { capabilities, ...target } = task.target;
  return { ...task, target: { ...target, agent_name: agent.name, provider: meant.provider, model: meant.model } };
}

function encodeMail({ eventId, from, node, subject, body, priority, expectsReply, replyTo }: AgentMail): object {
  return {
    event_id: eventId,
    ...{ from, node, priority },
    expects_reply: expectsReply,
    ...(replyTo !== null && { reply_to: replyTo }),
    ...(subject !== null && { subject }),
    body,
  };
}

/** The last attempt with a known result: a lost one has none. */
function lastTold(attempts: readonly Attempt[]): Attempt | null {
  return attempts.findLast(({ runId, end }) => runId !== null && end !== null && end.kind !== 'lost') ?? null;
}

const TAIL_CHARACTERS = [4_000, 1_000, 200, 0] as const;
const FILES_LISTED_MAX = 500;
const MESSAGE_CHARACTERS_MAX = 1_000;

interface AttemptNotes {
  readonly number: number;
  /** Absent for a first attempt; null where nothing is known about the earlier ones. */
  readonly earlier?: Attempt | null;
  /** The work that another agent left; null where the same one continues. */
  readonly left?: object | null;
  /** A person's words for the agent that continues, where that person put the files, and messages of other agents. */
  readonly said?:
    | { readonly words?: readonly string[]; readonly rewound_to?: string; readonly messages?: readonly object[] }
    | false;
  /** Results of the tasks that it waited for. */
  readonly prior: readonly PriorResult[];
}

/** As much as fits, from much to little; in the end the TASK alone. */
function withEarlier(task: TaskMessage, { number, earlier, left = null, said = false, prior }: AttemptNotes): string {
  const numbered: TaskMessage = { ...task, task: { ...task.task, attempt: number } };
  const own = { attempt: number, ...said };
  const bases =
    prior.length === 0 ? [own] : [true, false].map((all) => ({ ...own, results: encodePriorResults(prior, all) }));
  const [most, ...less] = tails(earlier ?? null);
  const results = most === undefined ? [] : [...(left ? [{ ...most, ...left }] : []), most, ...less];
  const hasNone = earlier === undefined && !said && prior.length === 0;
  const about = hasNone ? [] : [...results.map((told) => ({ ...bases[0], ...told })), ...bases, own];
  const candidates = about.map((x_baton) => {
    return { ...numbered, task: { ...numbered.task, extensions: { ...task.task.extensions, x_baton } } };
  });
  const texts = [...candidates, numbered].values().map(encodeAop);
  return texts.find((text) => !isLargerThan(text, AOP_TASK_BYTES_MAX)) ?? encodeAop(task);
}

/** The work of another agent: its name, the difference so far and its last words, which are no instructions. */
function handedOver(given: OrderPrompt): object | null {
  const handoff = handoffOf(given);
  if (handoff === null) return null;
  const { from, difference, isCut, lastWords } = handoff;
  return {
    from,
    ...(difference !== '' && { difference, is_difference_cut: isCut }),
    ...(lastWords !== '' && { last_words: lastWords }),
  };
}

function tails(earlier: Attempt | null): readonly object[] {
  return earlier === null ? [] : TAIL_CHARACTERS.map((tail) => toldOf(earlier, tail));
}

function toldOf({ end, verified, collected }: Attempt, tailCharacters: number): object {
  const results = verified?.results ?? [];
  const changed = collected?.changed ?? [];
  return {
    ...(end?.kind === 'failed' && {
      error: { code: aopCode(end.code), message: shorten(end.message, MESSAGE_CHARACTERS_MAX) },
    }),
    failed: results.filter(isBad).map((result) => failureOfRefusal(result, tailCharacters)),
    passed: results.filter(({ result }) => result === 'passed').map(({ id }) => id),
    files_changed: changed.slice(0, FILES_LISTED_MAX).map(encodeFile),
    ...(changed.length > FILES_LISTED_MAX && { files_left_out: changed.length - FILES_LISTED_MAX }),
  };
}

function encodeFile({ path, status }: ChangedFile): object {
  return { path, status: ARTIFACT_STATUSES[status] };
}

function failureOfRefusal({ id, kind, message, command, exitCode, tail }: CheckResult, tailCharacters: number): object {
  return {
    id,
    kind,
    message: shorten(message, MESSAGE_CHARACTERS_MAX),
    ...(command !== null && { command, exit_code: exitCode }),
    ...(tailCharacters > 0 && tail !== '' && { output: tail.slice(-tailCharacters) }),
  };
}

function isBad({ result }: CheckResult): boolean {
  return result === 'failed' || result === 'could-not-run';
}

/** The prompt of a TASK that failed its schema is written from the message as it came in. */
function v1Text(
  task: TaskMessage,
  {
    earlier,
    words,
    prior,
    mail,
  }: {
    readonly earlier: Attempt | null;
    readonly words: readonly string[];
    readonly mail: readonly AgentMail[];
  } & Pick<AttemptNotes, 'prior'>,
): string {
  const kept = task.task.extensions?.x_baton;
  const written = isJsonObject(kept) && typeof kept.v1_prompt === 'string' ? kept.v1_prompt : null;
  const said = words.length === 0 ? '' : `\n## What to do now\n\n${words.join('\n\n')}\n`;
  const results = prior.length === 0 ? '' : `\n## Results of the tasks before\n\n${priorLines(prior).join('\n')}\n`;
  const mailed = mail.length === 0 ? '' : `\n## Messages for you\n\n${mailLines(mail).join('\n')}\n`;
  const prompt = `${written ?? writeV1Prompt(task)}${results}${said}${mailed}`;
  if (earlier === null) return prompt;
  const sections = TAIL_CHARACTERS.map((tail) => `${prompt}\n${v1Earlier(earlier, tail)}`);
  return sections.find((text) => !isLargerThan(text, AOP_TASK_BYTES_MAX)) ?? prompt;
}

function v1Earlier({ end, verified, collected }: Attempt, tailCharacters: number): string {
  const results = verified?.results ?? [];
  const lines = [
    '## What an earlier attempt left',
    '',
    ...(end?.kind === 'failed' ? [`- It failed: ${shorten(end.message, MESSAGE_CHARACTERS_MAX)}`] : []),
    ...results
      .filter(isBad)
      .flatMap(({ message, tail }) => [
        `- Not passed: ${shorten(message, MESSAGE_CHARACTERS_MAX)}`,
        ...(tailCharacters > 0 && tail !== '' ? ['', ...indented(tail.slice(-tailCharacters)), ''] : []),
      ]),
    ...results.filter(({ result }) => result === 'passed').map(({ id }) => `- Passed: ${id}`),
    ...(collected?.changed ?? [])
      .slice(0, FILES_LISTED_MAX)
      .map(({ path, status }) => `- ${ARTIFACT_STATUSES[status]}: ${path}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** As a code block that no line of the text can end. */
function indented(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`);
}
