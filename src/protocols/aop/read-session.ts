import { isRefusal, type Refusal, refuse, refuseField } from '../../domain/refusal.ts';
import type { MemberReading, SessionReading, SessionTextTerms } from '../../domain/session/session-file.ts';
import type { SessionPattern, SessionTerms } from '../../domain/session/session-terms.ts';
import { isJsonObject } from '../../domain/words/json-object.ts';
import { explainIssue } from '../explain-issue.ts';
import { pointer } from '../issue.ts';
import { readJson, startsLikeJson } from '../json-text.ts';
import { locateRefusal } from './locate-field.ts';
import { readTaskOrder } from './read-task-order.ts';
import type { TaskMessage } from './schema/task.ts';

/** aop:session-file: a JSON array or NDJSON of TASKs with one session_id; null for a text that is neither. */
export function readTasks(text: string, { termsFor }: SessionTextTerms): SessionReading | Refusal | null {
  if (!startsLikeJson(text)) return null;
  const texts = textsOf(text);
  if (texts === null || isRefusal(texts)) return texts;
  if (texts.length === 0) return refuse('invalid-message', 'the session has no tasks');
  const terms = termsFor(null);
  const members: MemberReading[] = [];
  for (const [member, each] of texts.entries()) {
    const read = readMember(each, terms);
    if (isRefusal(read)) return locateRefusal({ ...read, message: `TASK ${member + 1}: ${read.message}`, member });
    members.push(read);
  }
  const tasks = members.map(({ message }) => message as TaskMessage);
  return refuseMixed(tasks) ?? sessionOf(tasks, members);
}

/** The text of each TASK: an item of the array, or a line; null for the short form, which may be written as JSON. */
function textsOf(text: string): readonly string[] | Refusal | null {
  const whole = readJson(text);
  if (whole.kind === 'value') {
    if (isJsonObject(whole.value) && 'tasks' in whole.value && !('aop_version' in whole.value)) return null;
    return Array.isArray(whole.value)
      ? whole.value.map((value) => JSON.stringify(value))
      : [JSON.stringify(whole.value)];
  }
  const isList = text.trimStart().startsWith('[');
  if (isList || whole.value !== undefined) return unreadable(whole.issue, null);
  const texts: string[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const read = readJson(line);
    if (read.kind === 'broken') return unreadable(read.issue, at + 1);
    texts.push(line);
  }
  return texts;
}

function unreadable(issue: Parameters<typeof explainIssue>[0], line: number | null): Refusal {
  const where = line === null ? '' : `line ${line}: `;
  const refusal = refuse('unreadable-message', `${where}${explainIssue(issue)}`, pointer(issue.path));
  return {
    ...refusal,
    hint: 'a session is a JSON array of AOP TASKs, or one TASK a line; baton check FILE shows more',
  };
}

/** A session arrives whole or not at all, so a TASK that fails its schema does not fall back to v1. */
function readMember(text: string, terms: Parameters<typeof readTaskOrder>[1]): MemberReading | Refusal {
  const read = readTaskOrder(text, terms);
  if (isRefusal(read)) return read;
  if (!read.isProgram) return refuse('invalid-message', 'this is not an AOP TASK');
  const [first, ...others] = read.notes?.fallback?.errors ?? [];
  if (!first) return read;
  return { ...refuse('invalid-message', first.message, first.path), problems: others };
}

function refuseMixed(tasks: readonly TaskMessage[]): Refusal | null {
  const first = tasks[0]?.session.session_id ?? '';
  const patterns = tasks.flatMap(({ session }) => session.workflow_pattern ?? []);
  for (const [member, { session, task }] of tasks.entries()) {
    const refused = (message: string, kind: 'session-id' | 'pattern') =>
      locateRefusal({ ...refuseField('invalid-message', message, { kind }), member });
    if (session.session_id !== first) {
      return refused(
        `a session has one id: ${task.task_id} is of ${session.session_id}, the first of ${first}`,
        'session-id',
      );
    }
    if (session.workflow_pattern && session.workflow_pattern !== patterns[0]) {
      return refused(
        `a session has one pattern: ${task.task_id} says ${session.workflow_pattern}, another ${patterns[0]}`,
        'pattern',
      );
    }
  }
  return null;
}

function sessionOf(tasks: readonly TaskMessage[], members: readonly MemberReading[]): SessionReading | Refusal {
  const limits = limitsOf(tasks);
  if (isRefusal(limits)) return limits;
  const pattern = tasks.find(({ session }) => session.workflow_pattern)?.session.workflow_pattern ?? null;
  return {
    sessionId: tasks[0]?.session.session_id ?? '',
    terms: { name: '', checks: [], ...limits, pattern: pattern ?? usualPattern(tasks.length) },
    isWorktreeWanted: null,
    form: 'messages',
    members,
  };
}

/** The pattern of a session that names none: only the dependencies that its tasks name count. */
export function usualPattern(tasks: number): SessionPattern {
  return tasks === 1 ? 'SINGLE' : 'PARALLEL';
}

type Limits = Pick<SessionTerms, 'costUsdMax' | 'awakeSecondsMax' | 'atOnceMax'>;

const LIMITS = [
  {
    key: 'x_max_cost_usd',
    limit: 'costUsdMax',
    isValid: (value: number) => value >= 0,
    want: 'a number of US dollars',
  },
  { key: 'x_deadline_seconds', limit: 'awakeSecondsMax', isValid: isCount, want: 'a whole number of seconds' },
  { key: 'x_at_once', limit: 'atOnceMax', isValid: isCount, want: 'a whole number of tasks' },
] as const;

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

/** Limits of the whole session, which any of its tasks may carry: `session.extensions`. */
function limitsOf(tasks: readonly TaskMessage[]): Limits | Refusal {
  const limits: Record<string, number> = {};
  for (const [member, { session }] of tasks.entries()) {
    for (const { key, limit, isValid, want } of LIMITS) {
      const value: unknown = session.extensions?.[key] ?? null;
      if (value === null) continue;
      if (typeof value !== 'number' || !isValid(value)) {
        return refuse('invalid-message', `${key} is ${want}`, `/${member}/session/extensions/${key}`);
      }
      limits[limit] = Math.min(limits[limit] ?? value, value);
    }
  }
  return { costUsdMax: null, awakeSecondsMax: null, atOnceMax: null, ...limits };
}
