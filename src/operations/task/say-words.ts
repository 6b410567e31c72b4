import { WORDS_CHARACTERS_MAX } from '../../domain/limits.ts';
import { refuse } from '../../domain/refusal.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import { isTerminal } from '../../domain/task/task-lifecycle.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertEvent, selectEventsThat } from '../../ledger/statements/events.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';

/** Words for the agent of a task. */
export interface SaidWords {
  /** `wrd_…` */
  readonly id: string;
  readonly text: string;
  readonly actor: string;
}

export interface SpokenWords {
  readonly task: Task;
  readonly words: SaidWords;
  readonly events: readonly LedgerEvent[];
}

interface WordsToSay {
  readonly taskId: TaskName;
  readonly text: string;
  /** Absent: the operator. */
  readonly actor?: string;
}

/** Keeps words for the agent of a task; who carries the run delivers them. */
export const sayWords: Command<WordsToSay, SpokenWords> = (tx, { taskId, text, actor = OPERATOR }) => {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  if (text.trim() === '') return refuse('invalid_argument', 'the message is empty', '/text');
  if (text.length > WORDS_CHARACTERS_MAX) {
    const message = `the words have ${text.length} characters, at most ${WORDS_CHARACTERS_MAX} are passed on`;
    return { ...refuse('invalid_argument', message, '/text'), hint: 'put them into a file and name it' };
  }
  if (isTerminal(task.status)) {
    const hint = `baton continue ${taskId} "what to do" continues it`;
    return { ...refuse('not_running', `${taskId} is ${task.status}: no agent will work on it again`), hint };
  }
  const words = { id: `wrd_${tx.moment.ids.ulid()}`, text, actor };
  const about = { actor, taskId, runId: task.runId };
  const event = insertEvent(tx, { type: 'words.said', ...about, payload: { words: words.id, text } });
  return { task, words, events: [event] };
};

interface WordsDelivery {
  readonly taskId: TaskName;
  readonly runId: string;
  readonly words: readonly string[];
  /** Into the running turn, or with the prompt of an attempt. */
  readonly by: 'stream' | 'prompt';
}

export const recordDelivery: Command<WordsDelivery, { readonly events: readonly LedgerEvent[] }> = (tx, delivery) => {
  const { taskId, runId, words, by } = delivery;
  const payload = { words, by };
  return { events: [insertEvent(tx, { type: 'words.delivered', actor: OPERATOR, taskId, runId, payload })] };
};

/** Words for the agent of a task that no run was told yet, oldest first. */
export function undeliveredWords(read: Reader, taskId: TaskName): readonly SaidWords[] {
  const filter = { taskId, runId: null, sessionId: null, types: TYPES, sinceMs: 0 };
  const events = selectEventsThat(read, filter, { after: 0, limit: EVENTS_MAX });
  const delivered = new Set(
    events.filter(({ type }) => type === 'words.delivered').flatMap(({ payload }) => payload.words as string[]),
  );
  return events
    .filter(({ type, payload }) => type === 'words.said' && !delivered.has(payload.words as string))
    .map(({ actor, payload }) => ({ id: payload.words as string, text: payload.text as string, actor }));
}

const TYPES = ['words.said', 'words.delivered'] as const;
const EVENTS_MAX = 1_000;
