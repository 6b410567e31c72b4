import type { Reader, Tuple, Tx } from '../../tx.ts';

/** `removed`: nothing of it is accepted. `trusted`: a person has confirmed its key. */
export type PeerTrust = 'known' | 'trusted' | 'removed';

/** Another node of the federation. Its keys are those that were seen first. */
export interface Peer {
  readonly node: string;
  /** base64url */
  readonly publicKey: string;
  readonly exchangeKey: string;
  readonly trust: PeerTrust;
  readonly firstSeenAt: number;
  /** Its place in the outbox of this node, as it was last read; null before the first. */
  readonly cursor: { readonly epoch: string; readonly seq: number; readonly at: number } | null;
}

const SELECT = `SELECT node, public_key, exchange_key, trust, first_seen_at, cursor_epoch, cursor_seq, cursor_at FROM peers`;

function toPeer([node, publicKey, exchangeKey, trust, firstSeenAt, epoch, seq, at]: Tuple): Peer {
  return {
    node: node as string,
    publicKey: publicKey as string,
    exchangeKey: exchangeKey as string,
    trust: trust as PeerTrust,
    firstSeenAt: firstSeenAt as number,
    cursor: epoch === null ? null : { epoch: epoch as string, seq: seq as number, at: at as number },
  };
}

export function selectPeer(tx: Reader, node: string): Peer | null {
  const tuple = tx.tuple(`${SELECT} WHERE node = ?`, node);
  return tuple ? toPeer(tuple) : null;
}

export function selectPeers(tx: Reader): Peer[] {
  return tx.tuples(`${SELECT} ORDER BY node`).map(toPeer);
}

export function upsertPeer(tx: Tx, peer: Peer): void {
  const { node, publicKey, exchangeKey, trust, firstSeenAt, cursor } = peer;
  const sql = `INSERT OR REPLACE INTO peers (node, public_key, exchange_key, trust, first_seen_at, cursor_epoch, cursor_seq,
    cursor_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
  const place = [cursor?.epoch ?? null, cursor?.seq ?? null, cursor?.at ?? null] as const;
  tx.write(sql, node, publicKey, exchangeKey, trust, firstSeenAt, ...place);
}
