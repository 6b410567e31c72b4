/** AOP §2.2: how the tasks of a session wait for each other where they do not say it themselves. */
export const SESSION_PATTERNS = ['SINGLE', 'CHAIN', 'PARALLEL', 'MAP_REDUCE', 'HIERARCHICAL'] as const;
export type SessionPattern = (typeof SESSION_PATTERNS)[number];

/** The limits of a whole session; null is none. */
export interface SessionTerms {
  /** For people; empty where it has none. */
  readonly name: string;
  readonly pattern: SessionPattern;
  readonly costUsdMax: number | null;
  /** From its submission, in time that a node was awake. */
  readonly awakeSecondsMax: number | null;
  /** Tasks that run at the same time. */
  readonly atOnceMax: number | null;
  /** Commands that judge the work of all tasks together. */
  readonly checks: readonly string[];
}

/** The reason why a session ended before its tasks were done. */
export interface SessionStop {
  readonly cause: 'operator' | 'budget' | 'deadline';
  readonly by: string;
  readonly message: string;
}
