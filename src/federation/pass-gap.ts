import { type GapPolicy, type GapVerdict, passGap, type SeqRange } from '../domain/federation/advance-cursor.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { insertTombstone, selectCursor, upsertCursor } from '../ledger/statements/federation/inbox.ts';
import { selectOpenIncident } from '../ledger/statements/incidents.ts';
import type { Tx } from '../ledger/tx.ts';
import { closeNodeIncident, openNodeIncident } from './nodes/federation-incident.ts';

export interface Gap {
  readonly source: string;
  readonly epoch: string;
  readonly missing: SeqRange;
  readonly waitedMs: number;
}

export interface GapRule {
  readonly policy: GapPolicy;
  readonly timeoutMs: number;
}

const GAP = 'gap';
/** Reading stands still at one gap of a node: it has one such incident at most. */
const HALTED = 'gap_halted';

/** Decides about frames that did not come. A gap is never passed without an incident that names it (Runtime §6.3). */
export const decideGap: Command<Gap & { readonly rule: GapRule }, { readonly verdict: GapVerdict['kind'] }> = (
  tx,
  { rule, ...gap },
) => {
  const verdict = passGap(gap, rule);
  switch (verdict.kind) {
    case 'wait':
      return { verdict: 'wait' };
    case 'halt':
      haltAt(tx, gap);
      return { verdict: 'halt' };
    case 'pass': {
      const { source, epoch, missing } = gap;
      const before = selectCursor(tx, source);
      const updatedAt = tx.moment.now.wallMs;
      upsertCursor(tx, { source, ...verdict.cursor, position: before?.position ?? null, updatedAt });
      if (verdict.isRecorded) insertTombstone(tx, { source, epoch, ...missing });
      openIncident(tx, GAP, { gap, fate: rule.policy === 'skip' ? 'skipped' : 'recorded as lost' });
      closeHaltedGap(tx, source);
      const payload = { node: source, epoch, ...missing, policy: rule.policy };
      insertEvent(tx, { type: 'federation.gap_passed', actor: source, taskId: null, payload });
      return { verdict: 'pass' };
    }
  }
};

function haltAt(tx: Tx, gap: Gap): void {
  const kind = `${HALTED}:${gap.source}`;
  if (selectOpenIncident(tx, kind) === null) openIncident(tx, kind, { gap, fate: 'reading halted' });
}

/** The cursor moved past the gap: its frames came, or a person chose another policy. */
export function closeHaltedGap(tx: Tx, source: string): void {
  const kind = `${HALTED}:${source}`;
  closeNodeIncident(tx, { id: selectOpenIncident(tx, kind), kind }, source);
}

function nameOf({ source, epoch, missing }: Gap): string {
  return `${source} ${missing.first}-${missing.last} of ${epoch}`;
}

function openIncident(tx: Tx, kind: string, { gap, fate }: { readonly gap: Gap; readonly fate: string }): void {
  const { first, last } = gap.missing;
  const events = first === last ? `event ${first}` : `events ${first} to ${last}`;
  const waited = Math.round(gap.waitedMs / 1_000);
  const detail = `${nameOf(gap)}: ${events} of node ${gap.source} did not come within ${waited} s: ${fate}`;
  openNodeIncident(tx, { kind, detail, subject: gap.source }, gap.source);
}
