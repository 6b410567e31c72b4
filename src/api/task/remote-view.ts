/** How the part of another node ended. `ended`: without an answer, or not told here. */
export const REMOTE_ENDS = ['done', 'failed', 'stopped', 'ended'] as const;

export type RemoteEnd = (typeof REMOTE_ENDS)[number];

/** The part of another node in a task. */
export interface RemoteView {
  /** `sent`: another node runs it. `received`: this node runs it for another. */
  readonly direction: 'sent' | 'received';
  /** The node that has accepted it, or that asked for it; null until one has accepted it. */
  readonly node: string | null;
  /** The agent there. */
  readonly agent: string | null;
  /** The agents that it was sent to, as agent@node; empty before. */
  readonly to: readonly string[];
  /** As the other node told it last: accepted, in_progress, blocked, review. */
  readonly status: string | null;
  /** Null while it is under way. */
  readonly ended: RemoteEnd | null;
  /** In percent. */
  readonly progress: number | null;
  readonly note: string | null;
  /** When it is expected to be done: the last estimate, and the first. */
  readonly etaAt: string | null;
  readonly firstEtaAt: string | null;
  readonly deadlineAt: string | null;
  /** It was not done by its first estimate, with the grace that everybody has. */
  readonly isOverdue: boolean;
  /** When the other node told something last. */
  readonly toldAt: string | null;
  /** The last sign of life of a node that is silent, and runs it; null where it is not. */
  readonly silentSince: string | null;
  /** The name of the task on the other node. */
  readonly theirTask: string | null;
  /** The id that it has on both. */
  readonly uid: string;
  readonly corrId: string;
}
