/** The tasks that other nodes have sent here, as the loop of a federation keeps them going. The composition root hands them in. */
export interface ServedTasks {
  start(): void;
  /** Something has come, or time has passed: does not wait for the work that follows. */
  wake(): void;
  /** Puts the files of tasks that the store has lost there again. */
  restore(): Promise<void>;
  /** With every tick: tells of nodes that run tasks of this one and are silent. */
  lookAfter(): Promise<void>;
  stop(): Promise<void>;
}
