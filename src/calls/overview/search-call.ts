import type { Calls } from '../../api/node-client.ts';
import type { FoundFile } from '../../api/overview/overview-contract.ts';
import { viewTaskLine } from '../../api/task/views.ts';
import { isRefusal, refuse } from '../../domain/refusal.ts';
import { maskWrittenValue } from '../../domain/secrets/mask-written.ts';
import { selectCollected } from '../../ledger/statements/run-facts.ts';
import { selectTask, selectTitled } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import { findTask } from '../../operations/task/find-task.ts';

const FOUND_MAX = 20;
/** Newest tasks whose changed files are looked at: a search reads no more, however long the history. */
const TASKS_LOOKED_AT_MAX = 500;
const TEXT_CHARACTERS_MAX = 500;

export function searchCall(read: Reader): Pick<Calls, 'search'> {
  return {
    search: async ({ text }) => {
      const words = text.trim();
      if (words === '' || words.length > TEXT_CHARACTERS_MAX)
        return refuse('invalid_argument', `give 1 to ${TEXT_CHARACTERS_MAX} characters to search for`, '/text');
      const named = /^(\d{1,3}|TASK-.*|tsk_.*)$/i.test(words) ? findTask(read, words) : null;
      const titled = selectTitled(read, words, FOUND_MAX);
      const tasks =
        named !== null && !isRefusal(named) ? [named, ...titled.filter(({ id }) => id !== named.id)] : titled;
      return {
        tasks: tasks.map(viewTaskLine),
        files: maskWrittenValue(filesOf(read, words)),
        lookedAt: TASKS_LOOKED_AT_MAX,
      };
    },
  };
}

/** Each path with each task that changed it, once. */
function filesOf(read: Reader, text: string): readonly FoundFile[] {
  const wanted = text.toLowerCase();
  const found = new Map<string, FoundFile>();
  for (const { taskId, at, fact } of selectCollected(read, { text, tasks: TASKS_LOOKED_AT_MAX, limit: FOUND_MAX })) {
    const task = selectTask(read, taskId);
    for (const { path, status } of fact.changed) {
      const key = `${path}\n${taskId}`;
      if (!task || !path.toLowerCase().includes(wanted) || found.has(key)) continue;
      const { title, routing } = task;
      found.set(key, { path, status, task: taskId, title, agent: routing.agent, at: new Date(at).toISOString() });
    }
  }
  return [...found.values()].slice(0, FOUND_MAX);
}
