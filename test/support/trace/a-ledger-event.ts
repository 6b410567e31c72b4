import type { TaskName } from '../../../src/domain/task/task.ts';
import type { LedgerEvent } from '../../../src/domain/trace/ledger-event.ts';

/** An event for pure code. */
export function aLedgerEvent(given: Partial<LedgerEvent> = {}): LedgerEvent {
  return {
    seq: 1,
    id: 'evt_1',
    type: 'task.logged',
    at: 1_000,
    actor: 'swe',
    taskId: 'TASK-2026-02-09-057' as TaskName,
    runId: null,
    sessionId: null,
    payload: {},
    ...given,
  };
}
