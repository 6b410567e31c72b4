import type { Ledger } from '../ledger/ledger.ts';
import type { Reader } from '../ledger/tx.ts';
import type { Clock } from '../platform/clock.ts';
import type { Timer } from '../platform/timer.ts';
import type { Mirror } from '../tree/mirror.ts';
import { WorkSlice } from '../tree/work-slice.ts';
import { SeenFiles, UnsettledFiles } from './file-states.ts';

export function reconcileParts({ root, ledger, mirror, clock, timer }: NodeParts): ReconcileParts {
  let commits = 0;
  ledger.onCommitted(() => commits++);
  const isBusy = () => {
    const wasBusy = commits > 0;
    commits = 0;
    return wasBusy;
  };
  const slice = new WorkSlice({ clock, timer, isBusy });
  const [seen, unsettled] = [new SeenFiles(clock, mirror), new UnsettledFiles(clock)];
  return { root, read: ledger.read, seen, unsettled, ledger, slice };
}

interface NodeParts {
  readonly root: string;
  readonly ledger: Ledger;
  readonly mirror: Pick<Mirror, 'writtenAt'>;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** The tools that check files of the tree. */
export interface ReconcileParts {
  /** The data folder. */
  readonly root: string;
  readonly read: Reader;
  readonly seen: SeenFiles;
  readonly unsettled: UnsettledFiles;
  readonly ledger: Ledger;
  readonly slice: WorkSlice;
}

/** `unsettled`: an editor may still be writing the file. `later`: the mirror has yet to write it. */
export type ReconcileState = 'done' | 'unsettled' | 'later';
