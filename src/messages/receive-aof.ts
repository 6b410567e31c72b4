import { isRefusal } from '../domain/refusal.ts';
import type { AgentMessage } from '../domain/task/agent-message.ts';
import { isJsonObject } from '../domain/words/json-object.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { logUndecodable } from '../operations/message/message-outcome.ts';
import { type ReceivedMessage, receiveMessage } from '../operations/message/receive-message.ts';
import { decodeAgentMessage } from '../protocols/aof/decode-agent-message.ts';
import type { AofEnvelope } from '../protocols/aof/schema/messages.ts';
import { AOF_PREFIX } from '../protocols/detect.ts';
import { readJson } from '../protocols/json-text.ts';
import { findMissingFiles } from '../tree/find-missing-files.ts';
import {
  type Delivery,
  hintOf,
  type MessageAnswer,
  malformedAnswer,
  type ProtocolReceiver,
  refusedAnswer,
} from './received.ts';

export interface AofParts {
  readonly ledger: Ledger;
  readonly dataFolder: string;
}

/** AOF/1: reports, status updates and handoffs. */
export function receiveAof({ ledger, dataFolder }: AofParts): ProtocolReceiver {
  return {
    accept: async (verdict, { channel, key }) => {
      const message = decodeAgentMessage(verdict.message as AofEnvelope);
      const missingFiles = missingFilesOf({ ledger, dataFolder }, message);
      const facts: ReceivedMessage = { message, warnings: verdict.warnings, ...senderOf(channel) };
      // The state of the disk is no part of the request: the same message again is the same request.
      const command: typeof receiveMessage = (tx, given) => receiveMessage(tx, { ...given, missingFiles });
      const outcome = await ledger.submitOnce(key, command, facts);
      if (isRefusal(outcome)) return refusedAnswer(outcome);
      const { code } = outcome;
      const errors = code === null ? [] : [{ path: '', message: reasonOf(code, message, channel) }];
      return { ...outcome, errors, warnings: [], hint: hintOf(code, message.taskId) };
    },
    reject: async (verdict, delivery) => await logRejected(ledger, verdict, delivery),
  };
}

function senderOf(channel: Delivery['channel']): Pick<ReceivedMessage, 'channelRun' | 'holder'> {
  return channel.kind === 'operator'
    ? { channelRun: channel.run }
    : { channelRun: channel.holder.runId, holder: channel.holder };
}

function missingFilesOf({ ledger, dataFolder }: AofParts, message: AgentMessage): readonly string[] {
  if (message.kind !== 'completion') return [];
  const { taskId, result } = message;
  return findMissingFiles(ledger, dataFolder, { taskId, summaryRef: result.summaryRef });
}

/** Logs a message that cannot be decoded, as far as it can be read; a run's as its own. */
async function logRejected(
  ledger: Ledger,
  verdict: Parameters<typeof malformedAnswer>[0],
  { text, channel }: Delivery,
): Promise<MessageAnswer> {
  const { code, errors } = verdict;
  const sender =
    channel.kind === 'run' ? { fromAgent: channel.holder.agent, runId: channel.holder.runId } : { runId: channel.run };
  const logged = await ledger.submit(logUndecodable, { ...readableParts(text), ...sender, code, errors });
  return isRefusal(logged) ? malformedAnswer(verdict) : { ...malformedAnswer(verdict), events: logged.events };
}

function readableParts(text: string) {
  const reading = readJson(text.startsWith(AOF_PREFIX) ? text.slice(AOF_PREFIX.length) : text);
  const value = isJsonObject(reading.value) ? reading.value : {};
  const textAt = (key: string) => (typeof value[key] === 'string' ? String(value[key]).slice(0, 128) : null);
  return { taskId: textAt('taskId'), fromAgent: textAt('fromAgent'), type: textAt('type') };
}

function reasonOf(code: string, { taskId, fromAgent, type }: AgentMessage, channel: Delivery['channel']): string {
  const reasons: Readonly<Record<string, string>> = {
    task_not_found: `there is no task ${taskId}`,
    parent_not_found: `the parent of ${taskId} does not exist`,
    nested_delegation: `${taskId} is already delegated; it cannot be delegated again`,
    unauthorized_agent: `${fromAgent} may not send this about ${taskId}: ${scopeOf(channel)}`,
    stale_run: `the run this was sent for no longer holds ${taskId}`,
    not_running: `no run of ${taskId} is live`,
    project_mismatch: `${taskId} is of another project`,
  };
  return reasons[code] ?? `the ${type} for ${taskId} was not accepted: ${code}`;
}

function scopeOf(channel: Delivery['channel']): string {
  if (channel.kind === 'operator') return 'it is held by or assigned to another agent';
  const { agent, taskId } = channel.holder;
  return `this run may report only as ${agent}, about ${taskId} and its delegated tasks`;
}
