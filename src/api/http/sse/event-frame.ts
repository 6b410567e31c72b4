import type { LedgerEvent } from '../../../domain/trace/ledger-event.ts';
import { viewEvent } from '../../task/views.ts';

/** One event as it goes over the wire: made once, for all who read. */
export interface EventFrame {
  readonly event: LedgerEvent;
  readonly bytes: Buffer;
}

/** The data is one line of JSON, which has no line ends of its own: nothing an agent writes can be a field here. */
export function frameEvent(event: LedgerEvent): EventFrame {
  const text = `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(viewEvent(event))}\n\n`;
  return { event, bytes: Buffer.from(text) };
}

/** Reports once that the log has no events at the reader's cursor; then the stream ends. */
export function frameStaleCursor(facts: { readonly message: string; readonly project: string; readonly last: number }) {
  return `event: stale_cursor\ndata: ${JSON.stringify({ code: 'stale_cursor', ...facts })}\n\n`;
}

export interface FrameBatch {
  readonly frames: readonly EventFrame[];
  /** All of them, end to end. */
  readonly whole: Buffer;
}

export function batchFrames(frames: readonly EventFrame[]): FrameBatch {
  return { frames, whole: Buffer.concat(frames.map(({ bytes }) => bytes)) };
}
