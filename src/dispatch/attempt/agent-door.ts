import type { TaskName } from '../../domain/task.ts';

/** The identity of a run and of the agent that was started for it. */
export interface RunHolder {
  readonly taskId: TaskName;
  readonly taskUid: string;
  readonly runId: string;
  readonly agent: string;
}

/** The HTTP address by which an agent reaches the node that started it, for its own task and nothing else. */
export interface AgentDoor {
  readonly url: string;
  /** On the loopback interface. */
  readonly port: number;
  /** A token that is valid until the run is released; it exists in memory only. */
  admit(holder: RunHolder): string;
  release(runId: string): void;
}
