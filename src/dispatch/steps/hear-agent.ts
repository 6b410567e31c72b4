import type { AgentSignal } from '../../agents/agent-driver.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { AgentLog } from '../../ledger/statements/agent-logs.ts';
import { keepTurn } from '../../operations/keep-turn.ts';
import { receiveMessage } from '../../operations/receive-message.ts';
import { aofCodec } from '../../protocols/aof/codec.ts';
import type { AofEnvelope } from '../../protocols/aof/schema/messages.ts';
import { saopCodec } from '../../protocols/saop/codec.ts';
import type { RunAtHand } from '../order-steps.ts';
import type { RunLog } from '../run-log.ts';
import type { RunWorld } from '../run-world.ts';

export interface Hearing {
  readonly world: RunWorld;
  readonly step: RunAtHand;
  readonly log: RunLog;
}

/**
 * What an agent lets be known: output goes to its log, messages of the other protocols to where they belong. A line of
 * output is kept at once; while a message is being kept, the agent waits.
 */
export function hearAgent({ world, step, log }: Hearing, signal: AgentSignal): void | Promise<void> {
  switch (signal.kind) {
    case 'output':
      if (log.line(signal.text)) log.flush();
      return;
    case 'turn':
      return hearTurn({ world, step, log }, signal.text);
    case 'aof':
      return hearAof({ world, step, log }, signal.text);
    case 'malformed':
      log.line(`[its answer is none: ${signal.message}]`);
      return;
    default:
      // Events, answers and costs are the watch's own.
      return;
  }
}

async function hearTurn({ world, step, log }: Hearing, text: string): Promise<void> {
  const verdict = saopCodec.decode(text);
  if (verdict.verdict !== 'accepted') {
    log.line('[not taken: this is no turn and no event of SAOP]');
    return;
  }
  const { message } = verdict;
  const turnIndex = 'turn_index' in message ? message.turn_index : null;
  const eventId = 'event_id' in message ? message.event_id : null;
  const turn = { taskId: step.task.id, runId: step.runId, turnIndex, eventId, envelope: text } as AgentLog;
  const kept = await world.ledger.submit(keepTurn, turn);
  if (isRefusal(kept)) log.line(`[not taken: ${kept.message}]`);
}

/** The pipe carries the run, so nobody can speak for another. */
async function hearAof({ world, step, log }: Hearing, text: string): Promise<void> {
  const verdict = aofCodec.decode(text);
  if (verdict.verdict !== 'accepted') {
    log.line('[not taken: this is no AOF/1 message]');
    return;
  }
  const message = verdict.message as AofEnvelope;
  if (message.fromAgent !== step.execution.attempts.at(-1)?.agent) {
    log.line(`[not taken: it speaks for ${message.fromAgent}]`);
    return;
  }
  const received = { message, warnings: verdict.warnings, channelRun: step.runId };
  const heard = await world.ledger.submit(receiveMessage, received);
  if (isRefusal(heard)) log.line(`[not taken: ${heard.message}]`);
}
