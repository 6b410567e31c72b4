import type { TaskMessage } from '../../../protocols/aop/schema/task.ts';
import { type DemoScript, readScript } from './demo-script.ts';

/** A file that the task wants to see. */
export interface WantedOutput {
  readonly type: string;
  readonly path: string;
  readonly description: string;
}

export interface DemoPart {
  /** Null for the objective of the task itself. */
  readonly phase: { readonly id: string; readonly label: string } | null;
  readonly script: DemoScript;
}

/** What the demo agent takes from what it was given. */
export interface DemoTask {
  /** Null where it was given words, such as a v1 prompt: then no message can be written. */
  readonly ids: { readonly sessionId: string; readonly taskId: string; readonly agent: string } | null;
  /** From 1. */
  readonly attempt: number;
  readonly workspaceRoot: string;
  readonly parts: readonly DemoPart[];
  readonly wanted: readonly WantedOutput[];
}

/** Baton has checked a TASK before it hands it on, so its shape is taken as it stands. */
export function readTask(text: string, folder: string): DemoTask {
  const task = parseTask(text);
  return task ? taskOf(task) : wordsOf(text, folder);
}

function parseTask(text: string): TaskMessage | null {
  try {
    const value = JSON.parse(text) as TaskMessage | null;
    return value?.message_type === 'TASK' ? value : null;
  } catch {
    // Not JSON: words.
    return null;
  }
}

function wordsOf(text: string, workspaceRoot: string): DemoTask {
  const parts = [{ phase: null, script: readScript(text) }];
  return { ids: null, attempt: 1, workspaceRoot, parts, wanted: [] };
}

function taskOf({ session, target, task, phases }: TaskMessage): DemoTask {
  const ordered = [...(phases ?? [])].sort((one, other) => one.phase_order - other.phase_order);
  return {
    ids: { sessionId: session.session_id, taskId: task.task_id, agent: target.agent_name },
    attempt: Math.max(task.attempt ?? 1, attemptOf(task.extensions?.['x_baton'])),
    workspaceRoot: task.environment.workspace_root,
    parts: [
      { phase: null, script: readScript(task.objective) },
      ...ordered.map(({ phase_id, label, objective }) => {
        return { phase: { id: phase_id, label }, script: readScript(objective) };
      }),
    ],
    wanted: wantedOf({ task, phases: ordered }),
  };
}

function attemptOf(extension: unknown): number {
  const { attempt } = (extension ?? {}) as { attempt?: unknown };
  return typeof attempt === 'number' ? attempt : 1;
}

function wantedOf({ task, phases }: Pick<TaskMessage, 'task' | 'phases'>): readonly WantedOutput[] {
  const artifacts = (phases ?? []).flatMap(({ checkpoints }) =>
    (checkpoints ?? []).flatMap((checkpoint) =>
      (checkpoint.expected_artifacts ?? []).map(({ type, path, description }) => {
        return { type, path, description: description ?? checkpoint.description };
      }),
    ),
  );
  return [...(task.expected_outputs ?? []), ...artifacts].flatMap(({ type, path, description }) =>
    path && (type === 'FILE' || type === 'DIRECTORY') ? [{ type, path, description }] : [],
  );
}
