import type { TreeCommands } from '../tree/tree-commands.ts';
import { adoptFile } from './adopt-file.ts';
import { judgeCopies } from './judge-copies.ts';
import { rememberMeta } from './remember-meta.ts';
import { restoreRunFile, takeRunResult } from './take-run-result.ts';
import { closeTroubles, openTrouble } from './tree-troubles.ts';

/** What the open tree may ask for. */
export const treeCommands: TreeCommands = {
  judgeCopies,
  adoptFile,
  takeRunResult,
  restoreRunFile,
  openTrouble,
  rememberMeta,
  closeTroubles,
};
