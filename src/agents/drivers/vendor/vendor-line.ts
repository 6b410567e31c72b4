import type { AgentSignal } from '../../../domain/agent-signal.ts';
import type { OutputLine } from '../../sandbox/sandbox.ts';

/** A line of a vendor's stream: a JSON object with a type, or text. */
export type VendorLine =
  | { readonly kind: 'event'; readonly event: { readonly type: string } & Readonly<Record<string, unknown>> }
  | { readonly kind: 'text'; readonly signal: AgentSignal };

/** Stderr, text and JSON without a type are output: logged, never acted on. */
export function readVendorLine({ stream, text, isTruncated }: OutputLine): VendorLine {
  const output: VendorLine = { kind: 'text', signal: { kind: 'output', stream, text } };
  if (stream === 'stderr' || isTruncated || !text.startsWith('{')) return output;
  try {
    const event = JSON.parse(text);
    return typeof event?.type === 'string' ? { kind: 'event', event } : output;
  } catch {
    return output;
  }
}
