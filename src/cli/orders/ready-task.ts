import type { TaskDetail } from '../../api/contract.ts';
import type { NodeClient } from '../../api/node-client.ts';
import type { TaskView } from '../../api/task-view.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { isTakenBack } from '../../domain/work-state.ts';

/** Refuses a task that cannot be carried out now; null for any other. */
export async function refuseRun(client: NodeClient, detail: TaskDetail): Promise<Refusal | null> {
  return refuseToRun(detail) ?? (await refuseOpenDependency(client, detail));
}

/** Makes a task ready, from the backlog or for another round. One that was interrupted goes on as it is. */
export async function toReady(client: NodeClient, { id, status }: TaskView): Promise<TaskView | Refusal> {
  if (status === 'ready' || status === 'in-progress') return await client.showTask({ task: id });
  return status === 'backlog' ? await client.moveTask({ task: id, to: 'ready' }) : await client.retryTask({ task: id });
}

/** Null for a task that can be carried out now. */
function refuseToRun({ id, status, work, runs }: TaskDetail): Refusal | null {
  if (['backlog', 'ready', 'blocked', 'deadletter'].includes(status)) return null;
  if ((status === 'review' || status === 'done') && isTakenBack(work)) return null;
  if (runs.some(({ isInterrupted }) => isInterrupted)) return null;
  if (status === 'in-progress') {
    return { ...refuse('already_claimed', `${id} is being carried out`), hint: `baton logs ${id} -f shows its output` };
  }
  const refusal = refuse('invalid_transition', `${id} is ${status}, so there is nothing to carry out`);
  const goOn = `baton continue ${id} "what to do" goes on with it in a new task`;
  const back = `baton undo ${id} takes its work back, then it can run again`;
  if (status === 'review') return { ...refusal, hint: `baton review approve ${id} accepts its work, ${back}` };
  return { ...refusal, hint: status === 'done' ? `${goOn}; ${back}` : goOn };
}

async function refuseOpenDependency(client: NodeClient, { id, dependsOn }: TaskDetail): Promise<Refusal | null> {
  for (const task of dependsOn) {
    const needed = await client.showTask({ task });
    if (isRefusal(needed) || needed.status === 'done') continue;
    const refusal = refuse('dependencies_open', `${id} waits for ${task}, which is ${needed.status}`);
    return { ...refusal, hint: `baton run ${task} first` };
  }
  return null;
}

/** The end of what is known of the task: its last event, its output so far, and its last round. */
export async function presentEnd(client: NodeClient, task: string) {
  let after = 0;
  for (;;) {
    const page = await client.listEvents({ task, after });
    const last = isRefusal(page) ? undefined : page.events.at(-1)?.eventId;
    if (last === undefined) break;
    after = last;
  }
  let printed = 0;
  for (;;) {
    const page = await client.readLog({ task, after: printed });
    if (isRefusal(page) || page.next === printed) break;
    printed = page.next;
  }
  const report = await client.orderReport({ task });
  if (isRefusal(report)) return { after, printed, roundBefore: 0, isOrdered: false, isOpen: false };
  const isOpen = !report.isOver;
  return { after, printed, roundBefore: report.round - (isOpen ? 1 : 0), isOrdered: true, isOpen };
}
