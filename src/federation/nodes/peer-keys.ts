import { JOIN_REQUESTS_MAX } from '../../domain/federation/federation-limits.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { type PeerTrust, selectPeer, upsertPeer } from '../../ledger/statements/federation/peers.ts';
import { countOpenKinds, selectOpenIncident } from '../../ledger/statements/incidents.ts';
import type { Tx } from '../../ledger/tx.ts';
import { closeHaltedGap } from '../pass-gap.ts';
import { closeRefused } from '../refuse-frame.ts';
import { closeNodeIncident, openNodeIncident } from './federation-incident.ts';

interface PresentedKeys {
  readonly nodeId: string;
  readonly publicKey: string;
  readonly exchangeKey: string;
}

const changedKey = (nodeId: string) => `changed_key:${nodeId}`;
const JOIN_REQUEST = 'join_request:';

/** The kind of the incident by which a node asks to be trusted. */
export function joinRequest(nodeId: string): string {
  return `${JOIN_REQUEST}${nodeId}`;
}

interface PinnedKeys extends PresentedKeys {
  /** Nothing of it is accepted before a person trusts it. */
  readonly isAsking: boolean;
}

/** The first keys of a node are pinned; others for the same name are reported and not used. */
export const pinPeer: Command<PinnedKeys, { readonly isPinned: boolean }> = (tx, pinned) => {
  const { nodeId, publicKey, exchangeKey } = pinned;
  const known = selectPeer(tx, nodeId);
  if (known === null) {
    const firstSeenAt = tx.moment.now.wallMs;
    upsertPeer(tx, { node: nodeId, publicKey, exchangeKey, trust: 'known', firstSeenAt, cursor: null });
  } else if (known.publicKey !== publicKey || known.exchangeKey !== exchangeKey) {
    reportChangedKey(tx, nodeId, known.trust);
    return { isPinned: false };
  }
  if (known === null || known.trust === 'known') askForTrust(tx, pinned);
  return { isPinned: true };
};

/** A removed node may show any key: nothing of it is accepted. */
function reportChangedKey(tx: Tx, nodeId: string, trust: PeerTrust): void {
  const kind = changedKey(nodeId);
  if (trust === 'removed' || selectOpenIncident(tx, kind) !== null) return;
  const detail = `node ${nodeId} presents another key than before: nothing of it is accepted until you run baton node trust ${nodeId}`;
  openNodeIncident(tx, { kind, detail }, nodeId);
}

/** Anybody who can write to the store can make up nodes: beyond a number of them nobody is asked. */
function askForTrust(tx: Tx, { nodeId, isAsking }: PinnedKeys): void {
  const kind = joinRequest(nodeId);
  const id = selectOpenIncident(tx, kind);
  if (!isAsking) closeNodeIncident(tx, { id, kind }, OPERATOR);
  if (!isAsking || id !== null || countOpenKinds(tx, JOIN_REQUEST) >= JOIN_REQUESTS_MAX) return;
  const detail = `node ${nodeId} has something for this node: nothing of it is accepted until you run baton node trust ${nodeId}`;
  openNodeIncident(tx, { kind, detail }, nodeId);
}

export interface TrustChange {
  readonly nodeId: string;
  readonly trust: PeerTrust;
  /** The keys that the node presents now, which a person has accepted; absent leaves those that are pinned. */
  readonly keys?: Pick<PresentedKeys, 'publicKey' | 'exchangeKey'>;
}

/** A person trusts a node with the keys that it presents, or removes it. */
export const changeTrust: Command<TrustChange, { readonly nodeId: string; readonly trust: PeerTrust }> = (
  tx,
  { nodeId, trust, keys },
) => {
  const known = selectPeer(tx, nodeId);
  const firstSeenAt = known?.firstSeenAt ?? tx.moment.now.wallMs;
  const own = keys ?? { publicKey: known?.publicKey ?? '', exchangeKey: known?.exchangeKey ?? '' };
  const { publicKey, exchangeKey } = own;
  upsertPeer(tx, { node: nodeId, publicKey, exchangeKey, trust, firstSeenAt, cursor: known?.cursor ?? null });
  for (const kind of [changedKey(nodeId), joinRequest(nodeId)]) {
    closeNodeIncident(tx, { id: selectOpenIncident(tx, kind), kind }, OPERATOR);
  }
  closeRefused(tx, nodeId);
  if (trust === 'removed') closeHaltedGap(tx, nodeId);
  return { nodeId, trust };
};
