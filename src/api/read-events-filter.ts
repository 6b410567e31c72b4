import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import { EVENT_TYPES, eventTypesOf } from '../domain/trace/ledger-event.ts';
import { type EventsFilter, hasSession } from '../ledger/statements/events.ts';
import { selectRun } from '../ledger/statements/runs.ts';
import type { Reader } from '../ledger/tx.ts';
import { findTask } from '../operations/task/find-task.ts';
import type { EventsRequest } from './requests.ts';

export type WantedEvents = {
  readonly [Name in 'task' | 'run' | 'session' | 'type' | 'since']?: EventsRequest[Name] | undefined;
};

/** The filter that a request for events asks for; it refuses a task, run, session or type that does not exist. */
export function readEventsFilter(read: Reader, wanted: WantedEvents): EventsFilter | Refusal {
  const { session: sessionId = null } = wanted;
  const task = wanted.task === undefined ? null : findTask(read, wanted.task);
  if (isRefusal(task)) return task;
  const run = wanted.run === undefined ? null : selectRun(read, wanted.run);
  if (run === null && wanted.run !== undefined) return unknown('run', wanted.run);
  if (sessionId !== null && !hasSession(read, sessionId)) return unknown('session', sessionId);
  const types = wanted.type === undefined ? null : eventTypesOf(wanted.type);
  if (types === null && wanted.type !== undefined)
    return refuse(
      'invalid_argument',
      `type must be one of ${EVENT_TYPES.join(', ')}, or a beginning like task.*`,
      '/type',
    );
  const sinceMs = wanted.since === undefined ? 0 : Date.parse(wanted.since);
  // Found through the index by task.
  const taskId = task?.id ?? run?.taskId ?? null;
  return { taskId, runId: run?.id ?? null, sessionId, types, sinceMs };
}

/** The hint fits the command line and HTTP alike. */
function unknown(field: 'run' | 'session', value: string): Refusal {
  const refusal = refuse('invalid_argument', `there is no ${field} ${JSON.stringify(value)}`, `/${field}`);
  return { ...refusal, hint: `events name theirs in the field ${field}Id: baton events --json, or GET /v1/events` };
}
