import type { PeerLife } from '../../../domain/federation/judge-peer.ts';
import type { Reader, Tuple, Tx } from '../../tx.ts';

/** Another node as it was seen last. */
export interface KnownNodeRow {
  readonly node: string;
  /** Its record in the control plane, as JSON. */
  readonly record: string;
  readonly life: PeerLife;
  /** Its last sign of life, by the clock of this node. */
  readonly seenAt: number;
}

const COLUMNS = 'node, record, life, seen_at';

function toRow([node, record, life, seenAt]: Tuple): KnownNodeRow {
  return {
    node: node as string,
    record: record as string,
    life: life as PeerLife,
    seenAt: seenAt as number,
  };
}

/** By name. */
export function selectKnownNodes(tx: Reader): KnownNodeRow[] {
  return tx.tuples(`SELECT ${COLUMNS} FROM known_nodes ORDER BY node`).map(toRow);
}

export function selectKnownNode(tx: Reader, node: string): KnownNodeRow | null {
  const tuple = tx.tuple(`SELECT ${COLUMNS} FROM known_nodes WHERE node = ?`, node);
  return tuple ? toRow(tuple) : null;
}

export function upsertKnownNode(tx: Tx, { node, record, life, seenAt }: KnownNodeRow): void {
  tx.write(`INSERT OR REPLACE INTO known_nodes (${COLUMNS}) VALUES (?, ?, ?, ?)`, node, record, life, seenAt);
}

/** Beyond a number of them, removes those that were seen longest ago and have nothing to do with this node. */
export function deleteKnownNodesBeyond(tx: Tx, most: number): void {
  const sql = `DELETE FROM known_nodes WHERE node IN (SELECT node FROM known_nodes
    ORDER BY node IN (SELECT node FROM peers) DESC, seen_at DESC, node LIMIT -1 OFFSET ?)`;
  tx.write(sql, most);
}
