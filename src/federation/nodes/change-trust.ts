import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { type PeerTrust, selectPeer } from '../../ledger/statements/federation/peers.ts';
import { faultFacts } from '../../platform/logger.ts';
import type { Federation } from '../federation.ts';
import { areOwnKeys } from './node-record.ts';
import { shortKeyId } from './node-status.ts';
import { changeTrust } from './peer-keys.ts';

interface TrustedNode {
  readonly nodeId: string;
  readonly trust: PeerTrust;
  readonly keyId: string;
}

/** Accepts a node with the keys that it shows now; `key` is the id of the one that the person compared. */
export async function trustNode(
  federation: Federation,
  { node: nodeId, key }: { readonly node: string; readonly key?: string },
): Promise<TrustedNode | Refusal> {
  const { ledger, log } = federation.parts;
  const node = await federation.directory.node(nodeId);
  const known = selectPeer(ledger.read, nodeId);
  if (!node && !known) return unknownNode(nodeId);
  const shown = shortKeyId(node?.keys.publicKey ?? known?.publicKey ?? '');
  if (key !== undefined && key !== shown) {
    return refuse('key_differs', `node ${nodeId} shows the key ${shown}, not ${key.slice(0, 64)}`, '/key');
  }
  // Whoever can write to the store could put a sealing key of its own beside the key that people compare.
  if (node && !areOwnKeys(nodeId, node.keys)) {
    return refuse(
      'key_differs',
      `the keys of node ${nodeId} are not signed by the node that has the first of them`,
      '/node',
    );
  }
  const changed = await ledger.submit(changeTrust, { nodeId, trust: 'trusted', ...(node && { keys: node.keys }) });
  if (isRefusal(changed)) return changed;
  // What waits in its outbox comes now, not with the next heartbeat.
  void federation.plane.findSources().catch((error: unknown) => log.log('federation.failed', faultFacts(error)));
  return { nodeId, trust: 'trusted', keyId: shown };
}

/** Accepts nothing of a node any more. */
export async function removeNode(federation: Federation, nodeId: string): Promise<TrustedNode | Refusal> {
  const { ledger } = federation.parts;
  const known = selectPeer(ledger.read, nodeId);
  if (!known && !(await federation.directory.node(nodeId))) return unknownNode(nodeId);
  const changed = await ledger.submit(changeTrust, { nodeId, trust: 'removed' });
  if (isRefusal(changed)) return changed;
  await federation.plane.forget(nodeId);
  return { nodeId, trust: 'removed', keyId: shortKeyId(known?.publicKey ?? '') };
}

function unknownNode(nodeId: string): Refusal {
  return refuse('node_not_found', `there is no node ${nodeId} in the federation`, '/node');
}
