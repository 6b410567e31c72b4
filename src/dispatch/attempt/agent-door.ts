import type { TaskName } from '../../domain/task.ts';

/** A run, as the agent that was started for it is known by. */
export interface RunHolder {
  readonly taskId: TaskName;
  readonly taskUid: string;
  readonly runId: string;
  readonly agent: string;
}

/** The way back from an agent to the node that started it, open to its own task and nothing else. */
export interface AgentDoor {
  readonly url: string;
  /** Of loopback. */
  readonly port: number;
  /** A token that is good until the run is released; it is kept in memory and nowhere else. */
  admit(holder: RunHolder): string;
  release(runId: string): void;
}
