import type { TracePage } from '../../../src/api/trace/trace-contract.ts';
import { call } from '../../node/call-node.ts';
import { type Resource, useResource } from '../../node/resource.ts';

/** A turn as a mark in time. */
export interface TurnMark {
  readonly eventId: number;
  readonly runId: string;
  readonly index: number;
  readonly at: number;
  /** The tokens of the run so far; null where its agent does not report them. */
  readonly tokensInput: number | null;
  readonly tokensOutput: number | null;
  readonly costUsd: number | null;
  readonly confidence: number | null;
}

export interface Turns {
  /** Oldest first. */
  readonly marks: readonly TurnMark[];
  /** There are earlier ones. */
  readonly isCut: boolean;
}

const PAGES_MAX = 4;
const PAGE = 500;

/** The last turns of a task, as many as a plot can show. */
export function useTurns(task: string): Resource<Turns> {
  return useResource(
    `turns-${task}`,
    () => readTurns(task),
    (event) => event.taskId === task && event.type === 'turn.recorded',
  );
}

async function readTurns(task: string): Promise<Turns> {
  const marks: TurnMark[] = [];
  let after = '';
  for (let page = 0; page < PAGES_MAX; page++) {
    const request = { task, type: 'TURN', order: 'newest', limit: PAGE, after } as const;
    const { entries, next } = await call('readTrace', request);
    marks.push(...entries.map(markOf));
    if (next === null) return { marks: marks.toReversed(), isCut: false };
    after = next;
  }
  return { marks: marks.toReversed(), isCut: true };
}

function markOf({ eventId, runId, turnIndex, at, message }: TracePage['entries'][number]): TurnMark {
  const { usage = {}, confidence } = (message.metadata ?? {}) as Metadata;
  return {
    eventId: eventId ?? 0,
    runId: runId ?? '',
    index: turnIndex ?? 0,
    at: Date.parse(at),
    tokensInput: usage.tokens_input ?? null,
    tokensOutput: usage.tokens_output ?? null,
    costUsd: usage.cost_usd ?? null,
    confidence: confidence ?? null,
  };
}

interface Metadata {
  readonly confidence?: number;
  readonly usage?: {
    readonly tokens_input?: number | null;
    readonly tokens_output?: number | null;
    readonly cost_usd?: number | null;
  };
}
