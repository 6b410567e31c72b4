import type { EventView } from '../api/contract.ts';
import type { EventsRequest } from '../api/requests.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { followNode, openFollowedNode } from '../node/client/follow-node.ts';
import { HOW_TO_BEGIN, isWithoutLedger } from '../platform/files/data-folder.ts';
import { onStopSignal } from '../platform/process/own-process.ts';
import { refused } from './answer-of-call.ts';
import { ownFolderOf, seenFolderOf } from './call-folder.ts';
import { type Answer, type Call, UsageError } from './command.ts';
import { lastTaskClient } from './node/last-task-client.ts';
import { endOnFault } from './output/end-on-fault.ts';
import { eventTextLine } from './trace/event-text.ts';

/** Past events, then new ones as they happen, until a signal. */
export async function followAnswer(call: Call, { task, ...from }: EventsRequest): Promise<Answer<unknown>> {
  const seen = seenFolderOf(call);
  if (isWithoutLedger(seen))
    throw new UsageError(
      `nothing is stored in ${seen} yet, so there is nothing to follow`,
      HOW_TO_BEGIN,
      'folder_not_found',
    );
  const json = Boolean(call.flags.json);
  const options = { dataFolder: ownFolderOf(call), onFatal: (fault: Error) => endOnFault(fault, json) };
  const node = await openFollowedNode(options);
  // Resolved once: @ and words may mean another task later.
  const named =
    task === undefined ? null : await lastTaskClient(call, options.dataFolder, node.client).showTask({ task });
  // A run, a session or a type that does not exist is refused before the stream begins.
  const refusal = isRefusal(named) ? named : await node.client.listEvents({ ...from, limit: 1 });
  if (isRefusal(named) || isRefusal(refusal)) {
    await node.close();
    return refused(refusal as Refusal);
  }
  const stopping = new AbortController();
  onStopSignal(() => {
    if (stopping.signal.aborted) process.exit(1);
    stopping.abort();
  });
  const request = { ...from, ...(named && { task: named.id }), signal: stopping.signal };
  return {
    values: followNode(node, options, request),
    human: (event, style) => eventTextLine(event as EventView, style),
    exitCode: () => 0,
  };
}
