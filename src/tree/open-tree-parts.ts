import type { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import type { FolderWatch } from '../platform/folder-watch.ts';
import type { Ids } from '../platform/ids.ts';
import type { Timer } from '../platform/timer.ts';
import type { Mirror } from './mirror.ts';
import type { ReconcileParts } from './reconcile-parts.ts';
import { SeenFiles } from './seen-files.ts';
import { StillFiles } from './still-files.ts';
import type { TreeCommands } from './tree-commands.ts';
import { WorkSlice } from './work-slice.ts';

export interface OpenTreeParts {
  /** The data folder. */
  readonly root: string;
  readonly ledger: Ledger;
  readonly mirror: Pick<Mirror, 'judgeEditsBy' | 'showAgain' | 'restoreEvents'>;
  readonly commands: TreeCommands;
  readonly watch: FolderWatch;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly timer: Timer;
}

export function reconcileParts({ root, ledger, commands, clock, timer }: OpenTreeParts): ReconcileParts {
  let commits = 0;
  ledger.onCommitted(() => commits++);
  const isBusy = () => {
    const wasBusy = commits > 0;
    commits = 0;
    return wasBusy;
  };
  const slice = new WorkSlice({ clock, timer, isBusy });
  const [seen, still] = [new SeenFiles(clock), new StillFiles(clock)];
  return { root, read: ledger.read, seen, still, ledger, commands, slice };
}
