import type { AgentFacts } from '../agent/agent.ts';
import type { Fact, OrderNotes, VersionFallback } from '../execution/fact.ts';
import type { ContinuedWork } from '../execution/work-fact.ts';
import type { Order, Provenance, SentMessage } from './order.ts';
import type { OrderFlags } from './order-request.ts';

/** The beginning of a round of a task: its decided order, and the texts and flags that it was decided from. */
export interface Round {
  readonly order: Order;
  readonly provenance: Provenance;
  /** Absent if an older Baton accepted the order, and only its text is known. */
  readonly message?: SentMessage;
  /** The caller's flags. */
  readonly request?: OrderFlags;
  /** Findings about its text that its admission repeats. */
  readonly notes?: OrderNotes;
  /** The work that the round continues. */
  readonly continues?: ContinuedWork;
  /** Absent for a round that the dispatcher begins by itself: its order is admitted when it starts. */
  readonly admitted?: Extract<Fact, { readonly kind: 'admitted' }>;
}

/** A program wrote the order: it needs no confirmation and defines its own checks. */
export function isOfProgram({ order, provenance }: Pick<Round, 'order' | 'provenance'>): boolean {
  return provenance !== null && !order.isInWords;
}

/** The notice for the sender of an order whose agent does not read the version of its message; null where it does. */
export type NoteUnreadVersion = (about: {
  readonly order: Order;
  readonly message: SentMessage;
  /** Undefined where no agent answers to the target. */
  readonly agent: Pick<AgentFacts, 'name' | 'versionsRead'> | undefined;
  /** The index of the alternative that the agent stands for; null is the target itself. */
  readonly alternative: number | null;
  readonly atMs: number;
}) => VersionFallback | null;
