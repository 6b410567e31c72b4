import type { AgentSignal } from '../domain/agent/agent-signal.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { Channel } from '../domain/task/channel.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectRun } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { refuseOtherRun } from '../operations/message/read-reach.ts';
import { decodeTool } from '../protocols/saop/agent-signals.ts';
import type { SaopMessage } from '../protocols/saop/schema.ts';
import { isTurn, readTraceMessage } from '../protocols/saop/trace-message.ts';
import { recordTrace } from '../trace/record-trace.ts';
import type { AopParts } from './receive-aop.ts';
import { acceptedAnswer, type PartPaths, type ProtocolReceiver, refusedAnswer } from './received.ts';

export type SaopParts = Pick<AopParts, 'ledger' | 'signal'>;

/** SAOP: turns and events of runs are recorded verbatim (saop:turns). */
export function receiveSaop({ ledger, signal }: SaopParts): ProtocolReceiver {
  return {
    accept: async ({ message }, { text, channel }) => {
      const subject = subjectOf(ledger, message as SaopMessage, channel);
      const paths = isTurn(message as SaopMessage) ? TURN_PATHS : EVENT_PATHS;
      if (isRefusal(subject)) return refusedAnswer(subject, paths);
      const traced = { ...subject, ...readTraceMessage(message as SaopMessage, text) };
      const stored = await ledger.submit(recordTrace, traced);
      if (isRefusal(stored)) return refusedAnswer(stored, paths);
      const heard = stored.events.length > 0 ? signalOf(message as SaopMessage) : null;
      if (heard !== null && subject.runId !== null) signal(subject.runId, heard);
      return acceptedAnswer({ task: selectTask(ledger.read, subject.taskId), events: stored.events });
    },
  };
}

const TURN_PATHS: PartPaths = { task: '/metadata/task_id', 'turn-index': '/turn_index' };
const EVENT_PATHS: PartPaths = {
  task: '/payload/task_id',
  'event-id': '/event_id',
  thought: '/payload/turn_index',
  'tool-call': '/payload/call_id',
};

interface Subject {
  readonly taskId: string;
  readonly runId: string | null;
}

/** The task and run of a message: a run's own, or those that an operator or the message names. */
function subjectOf(ledger: Ledger, message: SaopMessage, channel: Channel): Subject | Refusal {
  const named = taskNamed(message);
  if (channel.kind === 'run') {
    const { taskId, runId } = channel.holder;
    const refusal = named === null ? null : refuseOtherRun(ledger.read, channel.holder, { task: named, agent: null });
    return refusal ?? { taskId, runId };
  }
  const run = channel.run === null ? null : selectRun(ledger.read, channel.run);
  const taskId = named ?? run?.taskId;
  if (taskId === undefined) {
    return refuse('task_not_found', 'the event names no task: send it with the run that it belongs to');
  }
  if (selectTask(ledger.read, taskId) === null) return refuse('task_not_found', `there is no task ${taskId}`);
  if (channel.run !== null && run?.taskId !== taskId) {
    return refuse('stale_run', `${channel.run} is not a run of ${taskId}`);
  }
  return { taskId, runId: channel.run ?? selectTask(ledger.read, taskId)?.runId ?? null };
}

function signalOf(message: SaopMessage): AgentSignal | null {
  return isTurn(message) ? { kind: 'turn', index: message.turn_index } : decodeTool(message.payload);
}

function taskNamed(message: SaopMessage): string | null {
  if (isTurn(message)) return message.metadata.task_id;
  return message.payload.type === 'TASK_TRANSITION' ? message.payload.task_id : null;
}
