import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { hasTask } from '../ledger/statements/tasks.ts';

export interface UnheardMessage {
  /** As far as it could be read. */
  readonly taskId: string | null;
  readonly fromAgent: string | null;
  readonly type: string | null;
  readonly code: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

/** AOF/1, Validation Errors: a message that cannot be read is logged, and nothing else happens. */
export const logUnheardMessage: Command<UnheardMessage, { readonly events: readonly LedgerEvent[] }> = (
  tx,
  unheard,
) => {
  const taskId = unheard.taskId !== null && hasTask(tx, unheard.taskId) ? (unheard.taskId as TaskName) : null;
  const actor = unheard.fromAgent ?? 'unknown';
  const event =
    unheard.code === 'unknown_type'
      ? insertEvent(tx, { type: 'protocol.message.unknown', actor, taskId, payload: { type: unheard.type } })
      : insertEvent(tx, {
          type: 'protocol.message.rejected',
          actor,
          taskId,
          payload: { type: unheard.type, reason: unheard.code, errors: unheard.errors },
        });
  return { events: [event] };
};
