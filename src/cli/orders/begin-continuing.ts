import type { NodeClient } from '../../api/node-client.ts';
import type { ContinueRequest } from '../../domain/order-request.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { callOptions } from '../call-parts.ts';
import type { Call } from '../command.ts';
import { presentEnd } from './ready-task.ts';

/** Follows the new round from its beginning: of a follow-up task everything, of the same task what comes now. */
export async function beginContinuing(call: Call, client: NodeClient, request: ContinueRequest) {
  const shown = await client.showTask({ task: request.task });
  if (isRefusal(shown)) return shown;
  const { after, printed, roundBefore, isOpen } = await presentEnd(client, shown.id);
  // A wait that this ends has a report of its own.
  const from = { after, printed, roundBefore: roundBefore + (isOpen ? 1 : 0) };
  const taken = await client.continueTask({ ...request, task: shown.id }, callOptions(call));
  if (isRefusal(taken)) return taken;
  return { ...taken, isPlanShown: false, ...(taken.task.id === shown.id && { from }) };
}
