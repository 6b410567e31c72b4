import type { NodeClient } from '../../api/node-client.ts';
import type { TaskView } from '../../api/task/task-view.ts';
import type { OrderPlan } from '../../domain/order/order-request.ts';
import { type Refusal, refuseTask } from '../../domain/refusal.ts';
import { jsonLine } from '../../domain/words/json-line.ts';
import { wallMs } from '../../platform/terminal.ts';
import { folderFlagOf } from '../call-parts.ts';
import type { Answer, Call } from '../command.ts';
import { treeShows } from '../node/node-command.ts';
import { printAside, refusalValue } from '../output/print.ts';
import { type Style, styleOf } from '../output/style.ts';
import { type FollowedRun, followReviewed } from '../review/follow-review.ts';
import { type Following, followOrder, type OrderUpdate } from './follow-order.ts';
import { askedBy, askFor, pauseFor, quotaWaitOf } from './left-waiting.ts';
import { NodeStopped, type OrderNode } from './order-node.ts';
import { EXIT_PAUSED, exitCodeOf } from './run-end.ts';
import { type RunUpdate, runText } from './run-text.ts';
import { attendRun } from './terminal-answers.ts';
import { waitForOthers } from './wait-for-others.ts';

const EXIT_REFUSED = 2;
const EXIT_OUT_OF_QUOTA = 75;

type Wait = Parameters<typeof pauseFor>[2];

/** An order to be shown. Its plan is null for a task that had one before, or was shown already. */
export interface FollowedOrder {
  readonly task: TaskView;
  readonly plan: OrderPlan | null;
  readonly isPlanShown: boolean;
  /** It waits for this already. */
  readonly quota?: Wait | null;
  readonly from?: Pick<Following, 'after' | 'printed' | 'roundBefore'>;
}

/** Shows an order until its report. Ctrl-C stops the order; a second Ctrl-C exits at once. */
export function followOrderToEnd(
  call: Call,
  node: OrderNode,
  { task, plan, isPlanShown, quota = null, from = { after: 0 } }: FollowedOrder,
): Answer<unknown> {
  const { client } = node;
  const state: FollowedRun = { exitCode: EXIT_REFUSED, isNodeStopped: false, reviewing: null };
  const attended = attendRun(call, { task: task.id, node, stop: () => stopRun(client, task.id, state) });
  const following = { task: task.id, ...from, ...(call.flags.json && { types: typesFor(call) }) };
  async function* seen(): AsyncGenerator<RunUpdate> {
    yield isPlanShown || plan === null ? { kind: 'taken', task } : { kind: 'plan', plan, task: task.id };
    const pause = (wait: Wait): RunUpdate => {
      state.exitCode = EXIT_OUT_OF_QUOTA;
      return pauseFor(call, task.id, wait);
    };
    if (quota !== null && node.isOurs) return yield pause(quota);
    const checks = plan?.checks ?? [];
    for await (const update of followCarried(call, node, following)) {
      noteEnd(state, update);
      const message = update.kind === 'event' ? update.message : null;
      if (call.flags.events && message) yield { kind: 'message', message };
      const wait = update.kind === 'event' ? quotaWaitOf(update.event) : null;
      // Nobody would wait once this process, which is the node, has exited.
      if (wait !== null && node.isOurs) return yield pause(wait);
      const asked = update.kind === 'event' ? askedBy(update.event) : null;
      if (asked !== null) state.exitCode = EXIT_PAUSED;
      if (asked !== null) return yield askFor(call, task.id, asked);
      if (update.kind === 'checking') yield { ...update, checks };
      else if (update.kind === 'report') yield* followReviewed({ call, node, state }, update.report);
      else yield update;
      // The person reads what is asked before the prompt appears.
      if (update.kind === 'event') attended.take(update.event);
    }
  }
  return {
    ...showUpdates(call, seen()),
    exitCode: () => state.exitCode,
    isWork: true,
    finish: async () => {
      attended.close();
      if (!state.isNodeStopped) await treeShows(client, [task.id]);
      if (node.isOurs) await waitForOthers(client, task.id);
      await node.close();
      return null;
    },
  };
}

/** The review of the work, where it is under way; else the run. */
function stopRun(client: NodeClient, task: string, { reviewing }: FollowedRun): Promise<unknown> {
  return reviewing === null ? client.stopOrder({ task }) : client.stopFeedback({ feedback: reviewing });
}

function noteEnd(state: FollowedRun, update: OrderUpdate): void {
  if (update.kind === 'report') state.exitCode = exitCodeOf(update.report);
  state.isNodeStopped = update.kind === 'refusal' && update.refusal.code === 'node_stopped';
  if (state.isNodeStopped) state.exitCode = EXIT_PAUSED;
}

/** With --json an order's end and its waits; with --events, too, every event that may be an AOP message. */
function typesFor({ flags }: Call): string {
  return flags.events ? '*' : 'order.requeued,order.reported';
}

/** Starts a task on the node and follows it. The last update is a refusal if the node is asked to stop meanwhile. */
async function* followCarried(
  call: Call,
  node: OrderNode,
  following: Omit<Following, 'client' | 'timer'>,
): AsyncGenerator<OrderUpdate> {
  const { client, timer } = node;
  const { task } = following;
  try {
    await node.carry({ task }, following.types);
    yield* followOrder({ client, timer, ...following });
  } catch (error) {
    if (!(error instanceof NodeStopped)) throw error;
    yield { kind: 'refusal', refusal: pausedBy(call, task) };
  }
}

/** The order is not over: somebody has to continue it. */
function pausedBy(call: Call, task: string): Refusal {
  const message = `the node was stopped while ${task} was under way: its agent was ended, and its work so far stays in the files`;
  return { ...refuseTask('node_stopped', message, task), hint: `baton run ${task}${folderFlagOf(call)} continues it` };
}

/** With --events stdout is for programs, as with --json; people read everything on stderr. */
function showUpdates(call: Call, all: AsyncGenerator<RunUpdate>): Pick<Answer<unknown>, 'values' | 'human'> {
  const text = (seen: RunUpdate, style: Style) => runText(seen, { ...style, nowMs: wallMs() });
  if (call.flags.json) return { values: dataOf(all), human: () => null };
  if (!call.flags.events) return { values: all, human: (seen, style) => text(seen as RunUpdate, style) };
  const style = styleOf(call);
  async function* aside(): AsyncGenerator<RunUpdate> {
    for await (const seen of all) {
      if (seen.kind !== 'message') printAside(text(seen, style));
      yield seen;
    }
  }
  return { values: dataOf(aside()), human: (value) => jsonLine(value) };
}

/** Only AOP messages are data: the events if requested, and the RESPONSE. */
async function* dataOf(all: AsyncGenerator<RunUpdate>): AsyncGenerator<unknown> {
  for await (const seen of all) {
    if (seen.kind === 'message') yield seen.message;
    if (seen.kind === 'left-waiting') yield seen.value;
    // The report after the review is the one that counts.
    if (seen.kind === 'refusal' || (seen.kind === 'report' && !seen.reviewers)) yield lastValue(seen);
  }
}

function lastValue(update: Extract<RunUpdate, { readonly kind: 'report' | 'refusal' }>): unknown {
  return update.kind === 'report' ? update.report.response : refusalValue(update.refusal, update.refusal.code);
}
