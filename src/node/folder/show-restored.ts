import { revokeEverything } from '../../external/invite-agent.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { TREE_IS_OLD } from '../../ledger/restore.ts';
import { selectMeta } from '../../ledger/statements/meta.ts';
import { forgetMeta } from '../../operations/ledger-upkeep.ts';
import type { Mirror } from '../../tree/mirror.ts';
import { setTreeAside } from '../../tree/rebuild-tree.ts';
import { assertDone } from '../assert-done.ts';

/** After a restore, the tree of the earlier ledger is moved aside and written again, and external agents are revoked. */
export async function showRestored(ledger: Ledger, mirror: Mirror, dataFolder: string): Promise<void> {
  const asideAs = selectMeta(ledger.read, TREE_IS_OLD);
  if (asideAs === null) return;
  setTreeAside(dataFolder, asideAs);
  await mirror.rebuild();
  assertDone(await ledger.submit(revokeEverything, {}));
  assertDone(await ledger.submit(forgetMeta, { key: TREE_IS_OLD }));
}
