import type { EarlierRules } from '../workspace/shadow/find-names.ts';
import type { ShadowPlace } from '../workspace/shadow/private-repository.ts';

/** The files of a run, and the names under which their states are recorded while it works. */
export interface RecordedFolder {
  readonly place: ShadowPlace;
  /** Before the number of the turn: `1/turn-2-`. */
  readonly labels: string;
  /** The last recorded state. */
  readonly commit: string;
  /** The state before the work of the task; absent: the last recorded one. */
  readonly began?: string;
  /** The ignore rules from before the work: new ones hide no file that it made. */
  readonly rules: EarlierRules | null;
}
