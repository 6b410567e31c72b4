import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { OrderSettings } from '../ledger/statements/orders.ts';
import type { Ids } from '../platform/ids.ts';
import { type ReadOrder, readOrder } from '../protocols/aop/read-order.ts';
import type { TaskMessage } from '../protocols/aop/schema/task.ts';
import { withBounds } from '../protocols/aop/task-of-words.ts';
import { boundsOf, settingsOf } from './order-settings.ts';
import { refuseNobody, surroundingsOf } from './order-surroundings.ts';
import type { PlanWorld } from './run-world.ts';
import type { WantedOrder } from './wanted-order.ts';

/** What is wanted, as the TASK that it comes to. */
export interface ReadWanted extends Pick<ReadOrder, 'isProgram' | 'fallback'> {
  readonly message: TaskMessage;
  readonly settings: OrderSettings;
  readonly warnings: readonly string[];
}

export function readWanted(world: PlanWorld, wanted: WantedOrder, ids: Ids): ReadWanted | Refusal {
  const configured = world.settings();
  const read = readOrder(wanted.text, surroundingsOf(wanted, { configured, ids, clock: world.clock }));
  if (isRefusal(read)) return read;
  const unnamed = read.isProgram ? null : refuseNobody(wanted, configured);
  if (unnamed) return unnamed;
  return {
    message: withBounds(namedAgent(read.task, wanted.agent), boundsOf(wanted, configured)),
    settings: settingsOf(wanted, read, configured),
    isProgram: read.isProgram,
    fallback: read.fallback,
    warnings: read.warnings.map(({ code, path, message }) => `${code}: ${path} ${message}`.trim()),
  };
}

function namedAgent(task: TaskMessage, agent: string | null): TaskMessage {
  return agent === null ? task : { ...task, target: { ...task.target, agent_name: agent } };
}
