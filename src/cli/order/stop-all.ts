import type { NodeClient } from '../../api/node-client.ts';
import type { TaskView } from '../../api/task/task-view.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { LIVE_STATUSES } from '../../domain/task/task-lifecycle.ts';
import type { Call } from '../command.ts';
import { explainFault } from '../explain-fault.ts';
import { callIn } from '../node/every-folder.ts';
import { treeShows } from '../node/node-command.ts';
import { openSeen } from '../node/open-client.ts';
import { type StopEnd, waitStopped } from './wait-stopped.ts';

/** Newer sessions than this are stopped as a whole, in one commit each; tasks of older ones one by one. */
const SESSIONS_ASKED_MAX = 50;

/** Asks every session and task that runs or waits to stop. Answers with the tasks that had an order to stop. */
export async function stopAll(client: NodeClient): Promise<readonly TaskView[] | Refusal> {
  const stopped = await stopSessions(client);
  if (isRefusal(stopped)) return stopped;
  const asked: TaskView[] = [];
  // Waiting tasks come first: a free slot must not start one of them meanwhile.
  for (const status of LIVE_STATUSES) {
    for (let after: number | null = 0; after !== null; ) {
      const page = await client.listTasks({ status, ...(after > 0 && { after }) });
      if (isRefusal(page)) return page;
      for (const { id } of page.tasks) {
        const task = await client.stopOrder({ task: id });
        // Claimed by hand, never ordered, or over by now: there is nothing to stop.
        if (!isRefusal(task)) asked.push(task);
      }
      after = page.next;
    }
  }
  return asked;
}

async function stopSessions(client: NodeClient): Promise<Refusal | null> {
  const page = await client.listSessions({ limit: SESSIONS_ASKED_MAX });
  if (isRefusal(page)) return page;
  for (const { session_id: session, final_signal: signal } of page.sessions) {
    // One that ends by itself meanwhile refuses: there is nothing to stop.
    if (signal === null) await client.stopSession({ session });
  }
  return null;
}

/** The result of `stop --all` in one of several data folders. */
export interface FolderStop {
  readonly data: string;
  readonly ends: readonly StopEnd[];
  /** The reason why it could not be asked. */
  readonly fault: { readonly code: string; readonly message: string } | null;
}

/** A folder whose tasks were asked to stop. */
interface AskedFolder {
  ended(): Promise<FolderStop>;
}

/**
 * Stops everything in several data folders: asks them one after the other, then waits for all together. The others are stopped
 * although one cannot be opened.
 */
export async function stopEverywhere(call: Call, folders: readonly string[]): Promise<readonly FolderStop[]> {
  const asked: AskedFolder[] = [];
  for (const folder of folders) asked.push(await askFolder(call, folder));
  return await Promise.all(asked.map((each) => each.ended()));
}

async function askFolder(call: Call, data: string): Promise<AskedFolder> {
  const notAsked = (fault: FolderStop['fault']) => ({ ended: async () => ({ data, ends: [], fault }) });
  try {
    const { client } = await openSeen(callIn(call, data));
    const tasks = await stopAll(client);
    if (!isRefusal(tasks) && tasks.length > 0) return { ended: () => endIn(client, data, tasks) };
    await client.close();
    return notAsked(isRefusal(tasks) ? { code: tasks.code, message: tasks.message } : null);
  } catch (error) {
    const { code, refusal } = explainFault(error);
    return notAsked({ code, message: refusal.message });
  }
}

async function endIn(client: NodeClient, data: string, tasks: readonly TaskView[]): Promise<FolderStop> {
  try {
    const ends = await waitStopped(client, tasks);
    await treeShows(
      client,
      ends.map(({ task }) => task.id),
    );
    return { data, ends, fault: null };
  } finally {
    await client.close();
  }
}
