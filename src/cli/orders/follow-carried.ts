import { type Refusal, refuse } from '../../domain/refusal.ts';
import { folderFlagOf } from '../call-parts.ts';
import type { Call } from '../command.ts';
import { NodeStopped } from './carried-elsewhere.ts';
import { type Following, followOrder, type OrderUpdate } from './follow-order.ts';
import type { CarryingNode } from './serve-run.ts';

/** Has the node carry out a task, and follows it. The last update is a refusal if the node is asked to stop meanwhile. */
export async function* followCarried(
  call: Call,
  node: CarryingNode,
  following: Omit<Following, 'client' | 'timer'>,
): AsyncGenerator<OrderUpdate> {
  const { client, timer } = node;
  const { task } = following;
  try {
    await node.carry(task);
    yield* followOrder({ client, timer, ...following });
  } catch (error) {
    if (!(error instanceof NodeStopped)) throw error;
    yield { kind: 'refusal', refusal: pausedBy(call, task) };
  }
}

/** The order is not over: somebody has to go on with it. */
function pausedBy(call: Call, task: string): Refusal {
  const message = `the node was stopped while ${task} was under way: its agent was ended, and its work so far stays in the files`;
  return { ...refuse('node_stopped', message), hint: `baton run ${task}${folderFlagOf(call)} goes on with it` };
}
