import type { SessionView } from '../../api/session/session-contract.ts';
import { type Refusal, refuseTask } from '../../domain/refusal.ts';
import { onStopSignal } from '../../platform/process/own-process.ts';
import { wallMs } from '../../platform/terminal.ts';
import { folderFlagOf } from '../call-parts.ts';
import type { Answer, Call } from '../command.ts';
import type { OrderNode } from '../order/order-node.ts';
import { NodeStopped } from '../order/order-node.ts';
import { waitForOthers } from '../order/wait-for-others.ts';
import { printWarning, refusalValue } from '../output/print.ts';
import { followSession, type SessionUpdate } from './follow-session.ts';
import { sessionUpdateText } from './session-text.ts';

const EXIT_REFUSED = 2;
const EXIT_PAUSED = 5;
const EXIT_LEFT = 130;

/** Shows a session until its final report. Ctrl-C stops it; a second Ctrl-C exits at once. */
export function followSessionToEnd(
  call: Call,
  node: OrderNode,
  { session, after }: { readonly session: string; readonly after: number },
): Answer<unknown> {
  const { client } = node;
  let exitCode = EXIT_REFUSED;
  let isNodeStopped = false;
  const forget = stopOnSignal(session, () => void client.stopSession({ session }).catch(() => undefined));
  async function* seen(): AsyncGenerator<SessionUpdate> {
    try {
      await node.carry({ session });
      for await (const update of followSession({ client, sessionId: session, timer: node.timer, after })) {
        if (update.kind === 'end') exitCode = exitCodeOf(update.session);
        yield update;
      }
    } catch (error) {
      if (!(error instanceof NodeStopped)) throw error;
      isNodeStopped = true;
      exitCode = EXIT_PAUSED;
      yield { kind: 'refusal', refusal: pausedBy(call, session) };
    }
  }
  return {
    ...(call.flags.json ? { values: dataOf(seen()), human: () => null } : { values: seen(), human: textFor(call) }),
    exitCode: () => exitCode,
    isWork: true,
    finish: async () => {
      forget();
      if (node.isOurs && !isNodeStopped) await waitForOthers(client, '');
      await node.close();
      return null;
    },
  };
}

function textFor(call: Call): Answer<SessionUpdate>['human'] {
  return (update, style) => sessionUpdateText(update, { ...style, nowMs: wallMs() }, folderFlagOf(call));
}

/** AOP's messages alone: EVENTs, RESPONSEs, and last the SESSION_FINAL_REPORT. */
async function* dataOf(all: AsyncGenerator<SessionUpdate>): AsyncGenerator<unknown> {
  for await (const update of all) {
    if (update.kind === 'event' && update.message) yield update.message;
    if (update.kind === 'task' && update.report.response) yield update.report.response;
    if (update.kind === 'end') yield update.report;
    if (update.kind === 'refusal') yield refusalValue(update.refusal, update.refusal.code);
  }
}

function stopOnSignal(session: string, stop: () => void): () => void {
  let isAsked = false;
  return onStopSignal(() => {
    if (isAsked) {
      printWarning(`session ${session} was left at once; its work so far stays: baton session show ${session}`);
      process.exit(EXIT_LEFT);
    }
    isAsked = true;
    printWarning(`stopping session ${session}; press Ctrl-C again to exit at once`);
    stop();
  });
}

function pausedBy(call: Call, session: string): Refusal {
  const message = `the node was stopped while session ${session} was under way: its agents were ended, and their work so far stays`;
  return { ...refuseTask('node_stopped', message, session), hint: `baton up${folderFlagOf(call)} continues it` };
}

/** 0 all checked · 1 one failed · 3 partial or unchecked · 4 a task was stopped, skipped or aborted. */
function exitCodeOf({ totals, verdict }: SessionView): number {
  if (totals.failed > 0) return 1;
  if (verdict === 'aborted') return 4;
  return verdict === 'checked' ? 0 : 3;
}
