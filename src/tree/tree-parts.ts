import type { Reader } from '../ledger/tx.ts';
import type { Ids } from '../platform/ids.ts';
import { EventLog } from './event-log.ts';
import { MirrorTrouble } from './mirror-trouble.ts';
import { TreeFiles } from './tree-files.ts';
import { WorkSlice, type WorkSliceParts } from './work-slice.ts';

/** What a tree is written with. */
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
}

export function treeParts({ root, read, ids, ...slice }: TreePartsOptions): TreeParts {
  const trouble = new MirrorTrouble(read);
  const files = new TreeFiles({ root, ids, onKept: (path, keptAs) => trouble.kept(path, keptAs) });
  const onTorn = (path: string, cut: string) => trouble.torn(path, cut);
  return { files, trouble, log: new EventLog({ files, read, onTorn }), slice: new WorkSlice(slice) };
}
