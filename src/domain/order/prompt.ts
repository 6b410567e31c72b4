import { type AgentMail, mailLines } from '../agent/agent-mail.ts';
import type { Attempt } from '../execution/execution.ts';
import { isSessionRefused } from '../execution/vendor-session.ts';
import type { ContinuedWork } from '../execution/work-fact.ts';
import { boundedHandoff, handoffPacket, indented, resultLines, type WorkSoFar } from '../task/handoff-packet.ts';
import type {
  Checkpoint,
  ExpectedOutput,
  Expects,
  Order,
  OrderInput,
  Phase,
  SentMessage,
  Validation,
} from './order.ts';
import { type PriorResult, priorLines } from './prior-result.ts';

/** How an attempt continues work that was begun before it. */
export interface Continuation {
  /** The attempts of earlier rounds, oldest first. */
  readonly earlier: readonly Attempt[];
  /** The agent resumes its own session, so it knows the order and its work. */
  readonly isResumed: boolean;
  /** For an agent that did not do that work; null where it did, or nothing was recorded. */
  readonly soFar: WorkSoFar | null;
  /** The words of a person since then, oldest first. */
  readonly words: readonly string[];
  /** The work was undone or discarded since. */
  readonly isTakenBack: boolean;
  /** The files were rewound to this place of that work; absent where they are as it left them. */
  readonly rewoundTo?: ContinuedWork['rewoundTo'];
}

/** The instructions of one agent process. */
export interface Prompt {
  /** For a model. */
  readonly words: string;
  /** For programs that read a structured order; null where there is none, as for a reviewer. */
  readonly ordered: {
    readonly order: Order;
    readonly message: SentMessage;
    /** Milliseconds since 1970. */
    readonly orderedAt: number;
    /** The attempts so far; the last one is the attempt that begins. */
    readonly attempts: readonly Attempt[];
    /** Absent where nothing is known but these attempts. */
    readonly continuation?: Continuation;
    /** The results of the tasks that it waited for; absent where there are none. */
    readonly prior?: readonly PriorResult[];
    /** Messages of other agents for this one; absent where there are none. */
    readonly mail?: readonly AgentMail[];
    /** Files that came with the task, as whole paths; absent where there are none. */
    readonly given?: readonly string[];
  } | null;
  /** For programs that read the message of a protocol itself; absent where there is none. */
  readonly message?: { readonly protocol: string; readonly text: string };
}

type OrderPrompt = NonNullable<Prompt['ordered']>;

export function promptOf(ordered: OrderPrompt): Prompt {
  return { words: writePrompt(ordered), ordered };
}

/** The words for a model: the order, how the work will be checked, and what came of it so far. */
function writePrompt(ordered: OrderPrompt): string {
  const { order, continuation } = ordered;
  const told = continuation?.isResumed
    ? resumedSections(ordered)
    : [...orderSections(order), givenSection(ordered), priorSection(ordered), ...earlierSections(ordered)];
  return `${[...told, section('Messages for you', mailLines(ordered.mail ?? []))].filter((text) => text !== '').join('\n\n')}\n`;
}

function orderSections(order: Order): string[] {
  return [
    order.objective,
    section('Inputs', order.inputs.flatMap(inputLines)),
    section('Expected outputs', order.outputs.map(outputLine)),
    section('Phases', order.phases.map(phaseText)),
    section('Checks', checkLines(order)),
  ];
}

function givenSection({ given = [] }: OrderPrompt): string {
  return section(
    'Files that came with this task',
    given.map((path) => `- ${path}`),
  );
}

function priorSection({ prior = [] }: OrderPrompt): string {
  return section('Results of the tasks before', priorLines(prior));
}

const NOT_DONE = 'The task is not done yet. Continue from where you are, and finish it.';
const TAKEN_BACK = 'Changes of that work were taken back since: look at the files before you continue.';

/** Sentences for an agent whose earlier work is not in the files any more, or only a part of it. */
function backLines({ isTakenBack, rewoundTo }: Pick<Continuation, 'isTakenBack' | 'rewoundTo'>): string[] {
  if (rewoundTo !== undefined) {
    const rest = 'Everything after that is not in the files any more, and was not wanted: look at the files first.';
    return [`A person put the files back to their state ${rewoundTo}. ${rest}`, ''];
  }
  return isTakenBack ? [TAKEN_BACK, ''] : [];
}

/** An agent in its own session knows the order: it is told what failed, and what a person says. */
function resumedSections(ordered: OrderPrompt): string[] {
  const { order, continuation } = ordered;
  const last = earlierAttempts(ordered).at(-1);
  const { words = [] } = continuation ?? {};
  const back = continuation ? backLines(continuation) : [];
  return [
    ...(words.length === 0 ? [NOT_DONE] : words),
    section('Your last attempt', [...back, ...(last ? resultLines(last) : [])]),
    section('Checks', checkLines(order)),
  ];
}

/** An agent that begins a session is told what became of the work, and gets the whole packet if others did it. */
function earlierSections(ordered: OrderPrompt): string[] {
  const { attempts, continuation } = ordered;
  const { words = [], isTakenBack = false, soFar = null } = continuation ?? {};
  const earlier = earlierAttempts(ordered);
  const last = earlier.at(-1);
  const back = continuation ? backLines(continuation) : [];
  const isHandedOver = isOfOther(last, attempts);
  return [
    isHandedOver && !isTakenBack
      ? section('Handed over to you', [...back, ...handoffPacket(earlier, soFar)])
      : section('The attempt before this one', [...back, ...(last ? resultLines(last) : [])]),
    section('What to do now', words),
  ];
}

function isOfOther(last: Attempt | undefined, attempts: readonly Attempt[]): boolean {
  return last !== undefined && last.agent !== null && last.agent !== attempts.at(-1)?.agent;
}

/** The work of another agent for a program that reads fields; null where the same agent continues. */
export function handoffOf(ordered: OrderPrompt) {
  const earlier = earlierAttempts(ordered);
  const last = earlier.at(-1);
  if (!isOfOther(last, ordered.attempts)) return null;
  return { from: last?.agent ?? null, ...boundedHandoff(earlier, ordered.continuation?.soFar ?? null) };
}

/**
 * Attempts with a result, oldest first. A lost one has none, and one whose session the vendor did not take up again did not
 * begin.
 */
function earlierAttempts({ attempts, continuation }: OrderPrompt): readonly Attempt[] {
  const earlier = [...(continuation?.earlier ?? []), ...attempts.slice(0, -1)];
  return earlier.filter((attempt) => attempt.end !== null && attempt.end.kind !== 'lost' && !isSessionRefused(attempt));
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}`;
}

function inputLines({ type, path, url, description, content, isReadOnly }: OrderInput): string[] {
  const parts = [type, path ?? '', url ?? '', description].filter((part) => part !== '');
  const head = `- ${parts.join(': ')}${isReadOnly && path !== null ? ' (read only)' : ''}`;
  return content === '' ? [head] : [head, '', ...indented(content), ''];
}

function outputLine({ type, path, description, validation }: ExpectedOutput): string {
  const name = path === null ? type : `${type}: ${path}`;
  return `- ${name}: ${description}${validationText(validation)}`;
}

function phaseText({ label, objective, checkpoints }: Phase, index: number): string {
  return [`### ${index + 1}. ${label}`, '', objective, '', ...checkpoints.map(checkpointLine)].join('\n');
}

function checkpointLine({ id, description, artifacts, validation }: Checkpoint): string {
  const head = `- Checkpoint ${id}: ${description}${validationText(validation)}`;
  return [head, ...artifacts.map((artifact) => `  ${outputLine(artifact)}`)].join('\n');
}

const EXPECTED: Readonly<Record<Expects, string>> = {
  'exit-code-0': 'it must exit with 0',
  'match-found': 'it must find a match',
  'no-match': 'it must find no match',
  'file-exists': 'this file must exist',
};

function validationText(validation: Validation | null): string {
  return validation === null ? '' : ` (checked by \`${validation.command}\`: ${EXPECTED[validation.expects]})`;
}

function checkLines({ checks }: Order): string[] {
  if (checks.length === 0) return [];
  return ['These commands run when you are done, and must pass:', '', ...checks.map((check) => `- \`${check}\``)];
}
