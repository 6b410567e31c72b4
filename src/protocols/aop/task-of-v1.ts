import type { Provider } from '../../domain/agent/agent.ts';
import { decodeAopValue } from './decode.ts';
import type { TaskMessage } from './schema/task.ts';
import type { V1Prompt } from './v1-markdown.ts';

/** Values for the required fields of a TASK that a v1 prompt or plain words do not contain. */
export interface TaskSurroundings {
  readonly sessionId: string;
  readonly taskId: string;
  /** RFC 3339, from the caller's clock. */
  readonly createdAt: string;
  readonly workspaceRoot: string;
  readonly agent: { readonly name: string; readonly provider: Provider; readonly model: string };
  /** The way it came in: CLI, HTTP, … */
  readonly origin: string;
}

/** AOP v1 markdown as a TASK with defaults; null if it says nothing (aop:detection). */
export function taskOfV1(prompt: V1Prompt, about: TaskSurroundings): TaskMessage | null {
  const content = prompt.text.trim();
  const objective = prompt.objective?.trim() || withoutMarks(content);
  if (objective === '') return null;
  const inputs = objective === content ? [] : [{ type: 'TEXT', description: 'the whole order, AOP v1', content }];
  const plain = plainTask(objective, about);
  const { category, complexity, priority } = prompt.fields;
  return withReadable({ ...plain, task: { ...plain.task, inputs } }, [
    ['task', 'category', category?.toUpperCase()],
    ['task', 'complexity', complexity?.toUpperCase()],
    ['task', 'priority', priority?.toUpperCase()],
  ]);
}

/** A TASK with its required fields only. */
export function plainTask(objective: string, about: TaskSurroundings): TaskMessage {
  const { agent } = about;
  return {
    aop_version: '2.0.2-C',
    schema_version: '2.0.2',
    protocol_family: 'AOP',
    message_type: 'TASK',
    session: {
      session_id: about.sessionId,
      created_at: about.createdAt,
      orchestrator: 'baton',
      origin: about.origin,
      workflow_pattern: 'SINGLE',
    },
    target: { agent_name: agent.name, role: 'EXECUTOR', provider: agent.provider, model: agent.model },
    task: {
      task_id: about.taskId,
      objective,
      category: 'OTHER',
      complexity: 'MEDIUM',
      environment: { workspace_root: about.workspaceRoot },
    },
  };
}

/** The text without the heading and the line that mark it as v1. */
function withoutMarks(text: string): string {
  const isMark = (line: string) => /^\s*#+\s.*ORCHESTRATION_TASK/.test(line) || /^[\s>*_-]*PROTOCOL[*_]*:/i.test(line);
  return text
    .split('\n')
    .filter((line) => !isMark(line))
    .join('\n')
    .trim();
}

export type ReadableField = readonly [part: 'task' | 'target' | 'session', field: string, value: unknown];

/** The TASK with each of these fields that its schema accepts; the others are left out. */
export function withReadable(task: TaskMessage, fields: readonly ReadableField[]): TaskMessage {
  let readable = task;
  for (const [part, field, value] of fields) {
    if (value === undefined) continue;
    const candidate = { ...readable, [part]: { ...readable[part], [field]: value } };
    const verdict = decodeAopValue(candidate);
    if (verdict.verdict === 'accepted') readable = verdict.message as TaskMessage;
  }
  return readable;
}
