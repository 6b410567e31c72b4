import { type OrderTerms, orderOfWords } from '../domain/decisions/decide-order.ts';
import { isJsonObject } from '../domain/json-object.ts';
import type { Order } from '../domain/order.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { MemberReading, SessionReading, SessionTextTerms, TaskFlags } from '../domain/session-file.ts';
import type { SessionPattern } from '../domain/session-terms.ts';
import { usualPattern } from './aop/read-session.ts';
import { explainIssue } from './explain-issue.ts';
import { pointer } from './issue.ts';
import { judgeValue } from './judge-value.ts';
import { WORDS_SESSION, type WordsSession, type WordsTask } from './session-words-schema.ts';
import { readYaml } from './yaml-text.ts';

/** Reads the short form of a session. */
export function readWords(given: string, terms: SessionTextTerms): SessionReading | Refusal {
  const read = readYaml(given, 'session');
  if (read.kind === 'broken') {
    const [first] = read.issues;
    return refuse('E_PARSE_FAILURE', first ? explainIssue(first) : 'it cannot be read', pointer(first?.path ?? []));
  }
  const verdict = judgeValue(spelledOut(read.value), WORDS_SESSION);
  if (verdict.verdict === 'accepted') return sessionOf(verdict.message, terms);
  const [first, ...problems] = verdict.verdict === 'malformed' ? verdict.errors : [];
  const message = first?.message ?? 'this is no session';
  return { ...refuse('E_SCHEMA_VALIDATION', message, first?.path ?? ''), hint: HOW_TO_SAY, problems };
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
  const order = orderOf(given, { ...termsFor(flags), sessionId, taskId: given.name });
  const dependsOn = given.after ?? null;
  return { order, provenance: null, message: null, dependsOn, flags };
}

function orderOf(given: WordsTask, terms: OrderTerms): Order {
  const order = orderOfWords(given.words, terms);
  const onFailure = POLICIES[given.on_failure ?? 'continue'];
  return {
    ...order,
    parentTaskId: given.parent ?? null,
    priority: given.priority ?? order.priority,
    policy: { ...order.policy, onFailure },
  };
}

const POLICIES = { continue: 'report-and-continue', abort_session: 'abort-session', retry: 'retry' } as const;
