import type { Order } from '../../domain/order.ts';
import { encodeAop } from './encode.ts';
import type { VersionFallbackEvent } from './schema/events.ts';
import type { TaskMessage } from './schema/task.ts';
import { type AttemptAgent, readsV2 } from './task-for-attempt.ts';
import { makeVersionFallback } from './version-fallback.ts';

export interface GivenTask {
  readonly message: TaskMessage;
  readonly order: Order;
  /** Who answers to the target; undefined where nobody does. */
  readonly agent: AttemptAgent | undefined;
  /** RFC 3339, from the caller's clock. */
  readonly timestamp: string;
}

/** Of a good TASK whose agent does not read v2: its sender is told what a prompt in words cannot carry. */
export function tellLackingV2({ message, order, agent, timestamp }: GivenTask): VersionFallbackEvent | null {
  if (agent === undefined || readsV2(order, { alternative: null, agent })) return null;
  const text = encodeAop(message);
  return makeVersionFallback({ reason: 'AGENT_LACKS_V2', value: message, text, errors: [], timestamp });
}
