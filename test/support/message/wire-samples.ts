import { WireReader } from '../../../src/agents/drivers/process/wire-reader.ts';
import type { AgentSignal } from '../../../src/domain/agent/agent-signal.ts';
import { anOrder } from '../order/an-order.ts';
import { sampleResponse } from './aop-samples.ts';

export const RESPONSE = JSON.stringify(sampleResponse());

export const HEARTBEAT = JSON.stringify({
  aop_version: '2.0.2-C',
  message_type: 'EVENT',
  event: 'HEARTBEAT',
  session_id: 'AOP-SESSION-1',
  task_id: 'T-1',
  timestamp: '2026-02-26T12:37:01Z',
  progress_percentage: 40,
});

/** The signals of one run's stdout, without beats. */
export function read(lines: readonly string[], order = anOrder()): AgentSignal[] {
  const reader = new WireReader(order);
  const taken = lines.flatMap((text) => reader.line({ stream: 'stdout', text, isTruncated: false }));
  return [...taken, ...reader.end()].filter(({ kind }) => kind !== 'beat');
}

export function changed(changes: object): string {
  return JSON.stringify({ ...sampleResponse(), ...changes });
}
