import type { Channel } from '../domain/task/channel.ts';
import { isJsonObject } from '../domain/words/json-object.ts';
import { selectRun } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { readJson } from '../protocols/json-text.ts';
import { isBarePayload } from '../protocols/saop/kinds.ts';

/** One of them is in every payload. */
const TYPE_BEGINNINGS = ['"THOUGHT_STREAM', '"TOOL_LIFECYCLE', '"TASK_TRANSITION', '"SANDBOX_PULSE'];

/** saop:events: the payload of an event that a run sends without its wrapper gets one. Any other text stays as it is. */
export function wrapPayload(
  text: string,
  channel: Channel,
  { read, newId }: { read: Reader; newId(): string },
): string {
  const runId = channel.kind === 'run' ? channel.holder.runId : channel.run;
  if (runId === null || !TYPE_BEGINNINGS.some((type) => text.includes(type)) || text.includes('"event_id"'))
    return text;
  const { value } = readJson(text);
  if (!isJsonObject(value) || !isBarePayload(value)) return text;
  const run = selectRun(read, runId);
  const session = run && selectTask(read, run.taskId)?.sessionId;
  return JSON.stringify({ event_id: newId(), session_id: session ?? runId, payload: value });
}
