import type { Sandboxes } from '../agents/sandbox/sandboxes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Timer } from '../platform/timer.ts';
import type { Workplaces } from './place/workplaces.ts';

/** The parts of a node that read, check and change the work of tasks. */
export interface WorkWorld {
  readonly dataFolder: string;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Logger;
  /** The environment of the user who started the node; read by name, never passed on whole. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workplaces: Workplaces;
  readonly sandboxes: Sandboxes;
}
