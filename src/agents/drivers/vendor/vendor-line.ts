import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';
import { withoutSequences } from '../../../domain/words/control-sequences.ts';
import type { OutputLine } from '../../sandbox/sandbox.ts';

/** A line of a vendor's stream: a JSON object with a type, or text. */
export type VendorLine =
  | { readonly kind: 'event'; readonly event: { readonly type: string } & Readonly<Record<string, unknown>> }
  | { readonly kind: 'text'; readonly signal: AgentSignal };

const SHOWN_CHARACTERS_MAX = 2_000;

/** Text without colours. An event that is cut off is long, and nobody reads it. The raw lines have all of it. */
function shownText(line: string): string {
  const text = withoutSequences(line);
  const isEvent = text.startsWith('{"') && text.length > SHOWN_CHARACTERS_MAX;
  return isEvent ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}… (${text.length} characters)` : text;
}

/** Stderr, text and JSON without a type are output: logged, never acted on. */
export function readVendorLine({ stream, text, isTruncated }: OutputLine): VendorLine {
  const output: VendorLine = { kind: 'text', signal: { kind: 'output', stream, text: shownText(text) } };
  if (stream === 'stderr' || isTruncated || !text.startsWith('{')) return output;
  try {
    const event = JSON.parse(text);
    return typeof event?.type === 'string' ? { kind: 'event', event } : output;
  } catch {
    return output;
  }
}
