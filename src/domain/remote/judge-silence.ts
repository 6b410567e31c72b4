import type { PeerLife } from '../federation/judge-peer.ts';

/** A node that runs tasks of this one, as it was seen last. */
export interface HoldingNode {
  readonly node: string;
  readonly life: PeerLife;
  /** Its last sign of life; null where it was never seen. */
  readonly seenAt: number | null;
  /** The names of its tasks here. */
  readonly tasks: readonly string[];
}

/** An open incident about a silent node. */
export interface SilenceIncident {
  readonly id: string;
  readonly node: string;
}

export interface SilenceChange {
  readonly opened: readonly HoldingNode[];
  readonly closed: readonly SilenceIncident[];
}

/** A person is told once of each silent node that runs tasks of this one, until it is back or has none of them any more. */
export function judgeSilence(holding: readonly HoldingNode[], open: readonly SilenceIncident[]): SilenceChange {
  const silent = holding.filter(({ life, tasks }) => tasks.length > 0 && (life === 'silent' || life === 'dead'));
  const told = new Set(open.map(({ node }) => node));
  const isSilent = new Set(silent.map(({ node }) => node));
  return {
    opened: silent.filter(({ node }) => !told.has(node)),
    closed: open.filter(({ node }) => !isSilent.has(node)),
  };
}

const TASKS_NAMED_MAX = 3;

/** no sign of life since 12:04:05; it runs TASK-2026-11-18-014 and 2 more. */
export function silenceText({ seenAt, tasks }: Pick<HoldingNode, 'seenAt' | 'tasks'>): string {
  const since = seenAt === null ? '' : ` since ${new Date(seenAt).toISOString()}`;
  const more = tasks.length > TASKS_NAMED_MAX ? ` and ${tasks.length - TASKS_NAMED_MAX} more` : '';
  return `no sign of life${since}; it runs ${tasks.slice(0, TASKS_NAMED_MAX).join(', ')}${more}`;
}
