import type { Reader } from '../ledger/tx.ts';
import type { Ids } from '../platform/ids.ts';
import { EventLog } from './event-log.ts';
import type { HeldEdits } from './held-edits.ts';
import { MirrorTrouble } from './mirror-trouble.ts';
import { TreeFiles } from './tree-files.ts';
import { WorkSlice, type WorkSliceParts } from './work-slice.ts';

/** The tools that write a tree. */
export interface TreeParts {
  readonly files: TreeFiles;
  readonly log: EventLog;
  readonly trouble: MirrorTrouble;
  readonly slice: WorkSlice;
}

export interface TreePartsOptions extends WorkSliceParts {
  /** The data folder. */
  readonly root: string;
  readonly read: Reader;
  readonly ids: Ids;
  readonly edits: HeldEdits;
}

export function treeParts({ root, read, ids, edits, ...slice }: TreePartsOptions): TreeParts {
  const trouble = new MirrorTrouble(read);
  const onKept = (path: string, keptAs: string) => trouble.kept(path, keptAs);
  const files = new TreeFiles({ root, ids, edits, onKept });
  const onTorn = (path: string, cut: string) => trouble.torn(path, cut);
  return { files, trouble, log: new EventLog({ files, read, onTorn }), slice: new WorkSlice(slice) };
}
