import type { Ledger } from '../ledger/ledger.ts';
import type { LookParts } from './find-copies.ts';
import type { TreeCommands } from './tree-commands.ts';
import type { WorkSlice } from './work-slice.ts';

/** What files of the tree are judged with. */
export interface ReconcileParts extends LookParts {
  readonly ledger: Ledger;
  readonly commands: TreeCommands;
  readonly slice: WorkSlice;
}

/** What came of a look: an editor may still be at the file, or the mirror has still to write it. */
export type LookAnswer = 'done' | 'unsettled' | 'later';
