import { measureLag } from '../../domain/federation/judge-peer.ts';
import { selectCursor } from '../../ledger/statements/federation/inbox.ts';
import { selectLastFrames } from '../../ledger/statements/federation/outbox.ts';
import { ownEnd } from '../epoch.ts';
import type { Federation } from '../federation.ts';
import { isNodeName, KEYS, type OutboxNotice, readNotice, readRecord } from '../records.ts';
import type { Entry } from '../transport.ts';

const LINKS_SHOWN_MAX = 1_000;

/** One direction between two nodes: a reader and the outbox that it reads. */
export interface NodeLink {
  readonly source: string;
  readonly reader: string;
  /** The last event of the outbox, as its source told the reader. */
  readonly seq: number;
  /** The place of the reader in it. */
  readonly cursor: number;
  readonly lag: number;
}

/** The directions from and to this node, or all that the control plane has. Those that lag most come first. */
export async function nodeLinks(federation: Federation, isAll: boolean) {
  const links = isAll ? await allLinks(federation) : await ownLinks(federation);
  const sorted = links.sort((one, other) => other.lag - one.lag || (nameOf(one) < nameOf(other) ? -1 : 1));
  return { links: sorted.slice(0, LINKS_SHOWN_MAX), total: links.length };
}

function nameOf({ source, reader }: NodeLink): string {
  return `${source}.${reader}`;
}

async function ownLinks({ parts: { transport, ledger, nodeId } }: Federation): Promise<NodeLink[]> {
  const told = await transport.list(KEYS.routesTo(nodeId));
  const inward = told.flatMap(({ key, value }) => {
    const source = key.slice(KEYS.routesTo(nodeId).length);
    const end = readNotice({ value });
    return end && isNodeName(source)
      ? [linkOf({ source, reader: nodeId }, end, selectCursor(ledger.read, source))]
      : [];
  });
  const own = ownEnd(ledger.read);
  const outward = await Promise.all(
    selectLastFrames(ledger.read, own.seq).map(async ({ dest, frame }) => {
      const cursor = readCursor(await transport.get(KEYS.cursor(dest, nodeId)));
      return linkOf({ source: nodeId, reader: dest }, { ...own, frame }, cursor);
    }),
  );
  return [...inward, ...outward.filter(({ reader }) => reader !== nodeId)];
}

async function allLinks({ parts: { transport } }: Federation): Promise<NodeLink[]> {
  const [routes, cursors] = await Promise.all([transport.list(KEYS.allRoutes), transport.list(KEYS.allCursors)]);
  const cursorAt = new Map(cursors.map((entry) => [entry.key, entry]));
  return routes.flatMap(({ key, value }) => {
    const [reader = '', source = '', more] = key.slice(KEYS.allRoutes.length).split('.');
    const end = readNotice({ value });
    if (!end || more !== undefined || reader === source || ![reader, source].every(isNodeName)) return [];
    return [linkOf({ source, reader }, end, readCursor(cursorAt.get(KEYS.cursor(reader, source)) ?? null))];
  });
}

type Cursor = Parameters<typeof measureLag>[0]['cursor'];

function linkOf(pair: Pick<NodeLink, 'source' | 'reader'>, end: OutboxNotice, cursor: Cursor): NodeLink {
  const at = cursor?.epoch === end.epoch ? cursor.lastSeq : 0;
  return { ...pair, seq: Math.max(end.seq, at), cursor: at, lag: measureLag({ end, cursor }) };
}

function readCursor(entry: Entry | null): Cursor {
  const { epoch, lastSeq } = readRecord(entry?.value ?? '');
  if (typeof epoch !== 'string' || !Number.isSafeInteger(lastSeq) || (lastSeq as number) < 0) return null;
  return { epoch, lastSeq: lastSeq as number };
}
