import type { AgentSignal, ToolSignal } from '../domain/agent/agent-signal.ts';
import { RUN_NOTE_CHARACTERS_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import { shorten } from '../domain/words/shorten.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';

interface ReviewerNote {
  readonly session: string;
  readonly agent: string;
  readonly runId: string;
  /** The task whose work is reviewed; null for another artifact. */
  readonly taskId: TaskName | null;
  readonly signal: Extract<AgentSignal, { readonly kind: 'thought' }> | ToolSignal;
}

/** An event about a thought or a tool call of a reviewer, for people who watch. */
export const noteReviewer: Command<ReviewerNote, { readonly events: readonly LedgerEvent[] }> = (tx, note) => {
  const { session, agent, runId, taskId, signal } = note;
  const about = { actor: agent, taskId, runId, sessionId: session };
  const payload = { run: runId, session, ...payloadOf(signal) };
  return { events: [insertEvent(tx, { type: typeOf(signal), ...about, payload })] };
};

function typeOf(signal: ReviewerNote['signal']): LedgerEvent['type'] {
  if (signal.kind === 'thought') return 'run.thought';
  return signal.state === 'begun' ? 'run.tool_started' : 'run.tool_ended';
}

function payloadOf(signal: ReviewerNote['signal']): Readonly<Record<string, unknown>> {
  if (signal.kind === 'thought') return { text: shorten(signal.text, RUN_NOTE_CHARACTERS_MAX) };
  const call = {
    call: shorten(signal.id, RUN_NOTE_CHARACTERS_MAX),
    tool: shorten(signal.name, RUN_NOTE_CHARACTERS_MAX),
  };
  if (signal.state === 'begun') return { ...call, input: shorten(signal.input, RUN_NOTE_CHARACTERS_MAX) };
  return { ...call, isSuccess: signal.isSuccess, result: shorten(signal.result, RUN_NOTE_CHARACTERS_MAX) };
}
