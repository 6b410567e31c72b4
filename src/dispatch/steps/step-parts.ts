import type { SettingsFile } from '../../domain/execution/findings.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import type { SentOrderEdge } from '../../orders/sent-order-edge.ts';
import type { OpenTaskFolders } from '../../work/place/task-folder.ts';
import type { LiveRuns } from '../attempt/live-runs.ts';
import type { RunTalk } from '../attempt/run-talk.ts';

/** Baton's own configuration, which a run must not change unseen. */
export interface SettingsTrust {
  /** The configuration files as they are now. */
  settingsFiles(): readonly SettingsFile[];
  /** Ignores commands and rights in a configuration file until the user trusts it again. */
  withdrawTrust(path: string): void;
}

/** The parts of a node that the steps of an order use. */
export interface StepParts {
  readonly world: OrderWorld;
  readonly live: LiveRuns;
  readonly talk: RunTalk;
  readonly taskFolders: OpenTaskFolders;
  readonly trust: SettingsTrust;
  /** Orders that other nodes run. */
  readonly remote: SentOrderEdge;
  readonly batonVersion: string;
  /** An order is reported whose work another agent may have to review. */
  reviewDue(): void;
}
