import { isAgentName } from '../domain/agent.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import type { TaskText } from '../domain/task-text.ts';
import { hasTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { reaches } from './depend-task.ts';
import { refuseText } from './refuse-words.ts';

/** Refuses text in a task's file that no task may have; null if all of it is valid. */
export function refuseTaskText(tx: Reader, text: Omit<TaskText, 'status'>, id: string | null): Refusal | null {
  const wrongText = refuseText(text.title, text.body);
  if (wrongText) return wrongText;
  if (text.agent !== null && !isAgentName(text.agent)) {
    return refuse('invalid_argument', `${JSON.stringify(text.agent)} is no name for an agent`, '/routing/agent');
  }
  for (const needs of text.dependsOn) {
    if (!hasTask(tx, needs)) return refuse('task_not_found', `there is no task ${needs}`, '/dependsOn');
    if (id !== null && reaches(tx, needs, id as TaskName))
      return refuse('dependency_cycle', `${needs} itself waits for ${id}`, '/dependsOn');
  }
  return null;
}
