import type { RunWorld } from '../dispatch/run-world.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { keepTurn } from '../operations/keep-turn.ts';
import { receiveMessage } from '../operations/receive-message.ts';
import { aofCodec } from '../protocols/aof/codec.ts';
import type { AofEnvelope } from '../protocols/aof/schema/messages.ts';
import { AOF_PREFIX } from '../protocols/detect.ts';
import { saopCodec } from '../protocols/saop/codec.ts';
import type { SaopEvent } from '../protocols/saop/schema.ts';

/** Receives the AOF/1 lines and SAOP events that agents print. The pipe identifies the run, so no agent can speak for another. */
export function receiveFromRun(ledger: Ledger): RunWorld['receive'] {
  return async (text, { holder }) => {
    if (!text.startsWith(AOF_PREFIX)) {
      const verdict = saopCodec.decode(text);
      if (verdict.verdict !== 'accepted' || !('event_id' in verdict.message)) return 'this is no event of SAOP';
      const { event_id: eventId, payload } = verdict.message as SaopEvent;
      const { taskId, runId } = holder;
      const about = { kind: payload.type, ...('tool' in payload && { tool: String(payload.tool) }) };
      const stored = await ledger.submit(keepTurn, { taskId, runId, turnIndex: null, eventId, envelope: text, about });
      return isRefusal(stored) ? stored.message : null;
    }
    const verdict = aofCodec.decode(text);
    if (verdict.verdict !== 'accepted') return 'this is no AOF/1 message';
    const message = verdict.message as AofEnvelope;
    if (message.fromAgent !== holder.agent) return `it speaks for ${message.fromAgent}`;
    const outcome = await ledger.submit(receiveMessage, {
      message,
      warnings: verdict.warnings,
      channelRun: holder.runId,
    });
    return isRefusal(outcome) ? outcome.message : null;
  };
}
