import * as z from 'zod';
import { ID_CHARACTERS_MAX } from '../domain/federation/message-limits.ts';
import { RETRIES_ASKED_MAX, SLOTS_SETTING_MAX } from '../domain/limits.ts';
import { textOfWords } from '../domain/order/decide-order.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type {
  MemberReading,
  ReadSession,
  SessionForm,
  SessionReading,
  SessionTextTerms,
  TaskFlags,
} from '../domain/session/session-file.ts';
import { SESSION_PATTERNS, type SessionPattern } from '../domain/session/session-terms.ts';
import { PRIORITIES } from '../domain/task/task.ts';
import { isJsonObject } from '../domain/words/json-object.ts';
import { locateRefusal, locateWord } from './aop/locate-field.ts';
import { readTasks, usualPattern } from './aop/read-session.ts';
import { explainIssue } from './explain-issue.ts';
import { patterned, text, textUpTo } from './fields.ts';
import { pointer } from './issue.ts';
import { judgeValue, type MessageKind } from './judge-value.ts';
import { readYaml } from './yaml-text.ts';

/** Reads the short form of a session. */
function readWords(given: string, terms: SessionTextTerms): SessionReading | Refusal {
  const read = readYaml(given, 'session');
  if (read.kind === 'broken') {
    const [first] = read.issues;
    const refusal = refuse(
      'unreadable-message',
      first ? explainIssue(first) : 'it cannot be read',
      pointer(first?.path ?? []),
    );
    return { ...refusal, hint: HOW_TO_SAY };
  }
  const verdict = judgeValue(spelledOut(read.value), WORDS_SESSION);
  if (verdict.verdict === 'accepted') return sessionOf(verdict.message, terms);
  const [first, ...problems] = verdict.verdict === 'malformed' ? verdict.errors : [];
  const message = first?.message ?? 'this is no session';
  return { ...refuse('invalid-message', message, first?.path ?? ''), hint: HOW_TO_SAY, problems };
}

const HOW_TO_SAY =
  'a session is a list of AOP TASKs, or YAML: name, and tasks with name, words, agent, check, after; see baton session run --help';

/** With single values as lists, plain words as tasks, and a name for each task. */
function spelledOut(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { tasks } = value;
  const named = isJsonObject(tasks)
    ? Object.entries(tasks).map(([key, each]) =>
        isJsonObject(each) ? { name: key, ...each } : { name: key, words: each },
      )
    : tasks;
  const list = Array.isArray(named) ? named.map(spelledTask) : named;
  return {
    ...listed(value, ['check']),
    ...durations(value, ['deadline']),
    ...(tasks !== undefined && { tasks: list }),
  };
}

function spelledTask(value: unknown, at: number): unknown {
  if (typeof value === 'string') return { name: `task-${at + 1}`, words: value };
  if (!isJsonObject(value)) return value;
  const { id, ...rest } = value;
  const given = value.name ?? id ?? `task-${at + 1}`;
  const called = typeof given === 'number' ? String(given) : given;
  return { ...listed(rest, ['check', 'after']), ...durations(rest, ['timeout']), name: called };
}

function listed(value: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  const lists = keys.flatMap((key) => {
    const found = value[key];
    const items = typeof found === 'string' || typeof found === 'number' ? [found] : found;
    if (!Array.isArray(items)) return [];
    return [[key, items.map((item: unknown) => (typeof item === 'number' ? String(item) : item))]];
  });
  return { ...value, ...Object.fromEntries(lists) };
}

function durations(value: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.flatMap((key) => (typeof value[key] === 'number' ? [[key, String(value[key])]] : [])));
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400 };

function secondsOf(given: string): number {
  const [, number = '0', unit = ''] = /^(\d+)([smhd]?)$/.exec(given) ?? [];
  return Number(number) * (UNIT_SECONDS[unit] ?? 1);
}

function sessionOf(given: WordsSession, { sessionId: made, termsFor }: SessionTextTerms): SessionReading {
  const sessionId = given.session ?? made;
  const pattern = given.pattern?.toUpperCase() as SessionPattern | undefined;
  return {
    sessionId,
    terms: {
      name: given.name ?? '',
      pattern: pattern ?? usualPattern(given.tasks.length),
      costUsdMax: given.budget ?? null,
      awakeSecondsMax: given.deadline === undefined ? null : secondsOf(given.deadline),
      atOnceMax: given.at_once ?? null,
      checks: given.check ?? [],
    },
    isWorktreeWanted: given.worktree ?? null,
    form: 'words',
    members: given.tasks.map((each) => memberOf(each, given, { sessionId, termsFor })),
  };
}

function memberOf(given: WordsTask, about: WordsSession, { sessionId, termsFor }: SessionTextTerms): MemberReading {
  const agent = given.agent ?? about.agent;
  const checks = given.check ?? about.check;
  const flags: TaskFlags = {
    ...(agent !== undefined && { agent }),
    ...(checks !== undefined && { checks }),
    ...(given.timeout !== undefined && { timeoutSeconds: secondsOf(given.timeout) }),
    ...(given.retries !== undefined && { retries: given.retries }),
    ...(given.budget !== undefined && { budgetUsd: given.budget }),
  };
  return {
    ...textOfWords(given.words, { ...termsFor(flags), sessionId, taskId: given.name }),
    parentTaskId: given.parent ?? null,
    ...(given.priority && { priority: given.priority }),
    policy: { executionPolicy: { onFailure: POLICIES[given.on_failure ?? 'continue'] } },
    dependsOn: given.after ?? null,
    flags,
  };
}

const POLICIES = { continue: 'report-and-continue', abort_session: 'abort-session', retry: 'retry' } as const;

// The short form of a session for people: YAML with the words of each task. Keys are snake_case, as users write them.

const DURATION = /^\d{1,7}[smhd]?$/;
const duration = patterned(DURATION, 'duration');
const name = textUpTo(ID_CHARACTERS_MAX);
const amount = z.number().min(0).max(1_000_000);
const ON_FAILURE = ['continue', 'abort_session', 'retry'] as const;

const task = z.object({
  /** Other tasks name it by this in `after`. */
  name,
  words: text(),
  agent: text().optional(),
  check: z.array(text()).optional(),
  after: z.array(name).optional(),
  parent: name.optional(),
  priority: z.enum(PRIORITIES).optional(),
  timeout: duration.optional(),
  retries: z.int().min(0).max(RETRIES_ASKED_MAX).optional(),
  budget: amount.optional(),
  on_failure: z.enum(ON_FAILURE).optional(),
});

const session = z.object({
  $schema: text().optional(),
  name: textUpTo(200).optional(),
  /** The session_id; made up where it is absent. */
  session: name.optional(),
  pattern: z.enum(SESSION_PATTERNS.map((pattern) => pattern.toLowerCase()) as [string, ...string[]]).optional(),
  /** For tasks that name none. */
  agent: text().optional(),
  /** For tasks that name none, and for the work of all tasks together. */
  check: z.array(text()).optional(),
  /** US dollars for all tasks together. */
  budget: amount.optional(),
  deadline: duration.optional(),
  at_once: z.int().min(1).max(SLOTS_SETTING_MAX).optional(),
  /** Each task works in a worktree of its own. */
  worktree: z.boolean().optional(),
  tasks: z.array(task).min(1),
});

type WordsTask = z.infer<typeof task>;
type WordsSession = z.infer<typeof session>;

const WORDS_SESSION: MessageKind<WordsSession> = {
  kind: 'session',
  schema: session,
  rules: [],
  advice: [],
  unknownFields: () => 'refuse',
  codeOf: () => 'E_SCHEMA_VALIDATION',
};

/** A session file: TASKs of AOP, or YAML in words. */
export const readSession: ReadSession = (text, terms) => {
  if (text.trim() === '') return { ...refuse('unreadable-message', 'the session is empty'), hint: HOW_TO_SAY };
  return readTasks(text, terms) ?? readWords(text, terms);
};

/** Replaces the place of a refused task by its path in the session file. */
export function locateInSession(refusal: Refusal, form: SessionForm): Refusal {
  if (form === 'messages') return locateRefusal(refusal);
  const located = locateWord(refusal);
  // The usual hint is about messages of a protocol, which a person has not written.
  return refusal.code === 'E_SCHEMA_VALIDATION' ? { ...located, hint: HOW_TO_CORRECT } : located;
}

const HOW_TO_CORRECT = 'correct the tasks that are named; baton session run --help shows the form';
