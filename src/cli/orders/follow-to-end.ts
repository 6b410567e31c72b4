import type { EventView } from '../../api/contract.ts';
import type { NodeClient } from '../../api/node-client.ts';
import type { DiffAnswer, OrderReport } from '../../api/order-contract.ts';
import type { TaskView } from '../../api/task-view.ts';
import type { QuotaWait } from '../../api/task-wait.ts';
import { jsonLine } from '../../domain/json-line.ts';
import type { OrderPlan } from '../../domain/order-request.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { wallMs } from '../../platform/terminal.ts';
import { systemTimer } from '../../platform/timer.ts';
import { folderFlagOf } from '../call-parts.ts';
import type { Answer, Call } from '../command.ts';
import { treeShows } from '../node/node-command.ts';
import { line, nextLine } from '../output/lines.ts';
import { isRecorded } from '../output/next-steps.ts';
import { quotaPauseLines, quotaPauseValue } from '../output/pause-text.ts';
import { printAside, printWarning, refusalValue } from '../output/print.ts';
import type { Ending } from '../output/report-text.ts';
import { type RunUpdate, runText } from '../output/run-text.ts';
import { type Style, styleOf } from '../output/style.ts';
import { visible } from '../output/visible.ts';
import { type Following, followOrder, type OrderUpdate } from './follow-order.ts';
import { NodeStopped, type OrderNode } from './order-node.ts';
import { attendRun } from './terminal-answers.ts';

const EXIT_REFUSED = 2;

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
export function followToEnd(
  call: Call,
  node: OrderNode,
  { task, plan, isPlanShown, quota = null, from = { after: 0 } }: FollowedOrder,
): Answer<unknown> {
  const { client } = node;
  let exitCode = EXIT_REFUSED;
  let isNodeStopped = false;
  const attended = attendRun(call, { task: task.id, node });
  const following = { task: task.id, ...from, ...(call.flags.json && { types: typesFor(call) }) };
  async function* seen(): AsyncGenerator<RunUpdate> {
    yield isPlanShown || plan === null ? { kind: 'taken', task } : { kind: 'plan', plan, task: task.id };
    const pause = (wait: Wait): RunUpdate => {
      exitCode = EXIT_OUT_OF_QUOTA;
      return pauseFor(call, task.id, wait);
    };
    if (quota !== null && node.isOurs) return yield pause(quota);
    const checks = plan?.checks ?? [];
    for await (const update of followCarried(call, node, following)) {
      if (update.kind === 'report') exitCode = exitCodeOf(update.report);
      isNodeStopped = update.kind === 'refusal' && update.refusal.code === 'node_stopped';
      if (isNodeStopped) exitCode = EXIT_PAUSED;
      const message = update.kind === 'event' ? update.message : null;
      if (call.flags.events && message) yield { kind: 'message', message };
      const wait = update.kind === 'event' ? quotaWaitOf(update.event) : null;
      // Nobody would wait once this process, which is the node, has exited.
      if (wait !== null && node.isOurs) return yield pause(wait);
      const asked = update.kind === 'event' ? askedBy(update.event) : null;
      if (asked !== null) exitCode = EXIT_PAUSED;
      if (asked !== null) return yield askFor(call, task.id, asked);
      if (update.kind === 'checking') yield { ...update, checks };
      else
        yield update.kind === 'report' ? { kind: 'report', ...(await endingOf(call, client, update.report)) } : update;
      // The person reads what is asked before the prompt appears.
      if (update.kind === 'event') attended.take(update.event);
    }
  }
  return {
    ...showUpdates(call, seen()),
    exitCode: () => exitCode,
    isWork: true,
    finish: async () => {
      attended.close();
      if (!isNodeStopped) await treeShows(client, [task.id]);
      if (node.isOurs) await waitForOthers(client, task.id);
      await node.close();
      return null;
    },
  };
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
  return { ...refuse('node_stopped', message), hint: `baton run ${task}${folderFlagOf(call)} goes on with it` };
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
    if (seen.kind === 'report' || seen.kind === 'refusal') yield lastValue(seen);
  }
}

function lastValue(update: Extract<RunUpdate, { readonly kind: 'report' | 'refusal' }>): unknown {
  return update.kind === 'report' ? update.report.response : refusalValue(update.refusal, update.refusal.code);
}

/** Adds the line counts of changed files to a report for people; a program gets the RESPONSE without this wait. */
async function endingOf(call: Call, client: NodeClient, report: OrderReport): Promise<Ending> {
  const isShown = !call.flags.json && report.changed.length > 0 && isRecorded(report);
  const diff = isShown ? await client.diffWork({ task: report.task.id }) : null;
  return { report, stat: diff === null || isRefusal(diff) ? [] : statOf(diff), folderFlag: folderFlagOf(call) };
}

/** Named from the workspace, as the report names them. */
function statOf({ files, inside }: DiffAnswer): DiffAnswer['files'] {
  if (inside === '') return files;
  return files.map((file) =>
    file.path.startsWith(`${inside}/`) ? { ...file, path: file.path.slice(inside.length + 1) } : file,
  );
}

const EXIT_STOPPED = 130;
/** Somebody has to continue it. */
const EXIT_PAUSED = 5;
const EXIT_OUT_OF_QUOTA = 75;

/** The last update of a command that leaves an order waiting for its vendor. */
function pauseFor(call: Call, task: string, quota: QuotaWait): RunUpdate {
  const pause = { task, quota, folderFlag: folderFlagOf(call) };
  return { kind: 'left-waiting', value: quotaPauseValue(pause), say: (style) => quotaPauseLines(pause, style) };
}

/** The last update of a command whose order waits for a person. */
function askFor(call: Call, task: string, { question, reason }: AskedOrder): RunUpdate {
  const folderFlag = folderFlagOf(call);
  const next = [`baton answer ${task} yes${folderFlag}`, `baton answer ${task} no${folderFlag}`] as const;
  const hint = `${next[0]} goes on, ${next[1]} stops it; baton run ${task}${folderFlag} starts it after a yes where no node runs`;
  const value = { verdict: 'paused', code: 'needs_answer', task, question, why: reason, hint };
  const waits = `waits for your answer: ${visible(reason)}; its work so far is kept`;
  const say = (style: Style) => [
    line(''),
    line(`${style.strong(task)} ${waits}`, `${style.open('needs you')}  `),
    nextLine(next[0], style.faint(`go on; without a node, baton run ${task} then starts it`)),
    nextLine(next[1], style.faint('stop it, and keep the work'), next[0].length),
  ];
  return { kind: 'left-waiting', value, say };
}

interface AskedOrder {
  readonly question: string;
  readonly reason: string;
}

/** The question that an order waits for from this event on. */
function askedBy({ type, payload: { question, reason } }: EventView): AskedOrder | null {
  return type === 'order.requeued' && typeof question === 'string' ? { question, reason: String(reason) } : null;
}

/** The quota that an order waits for from this event on. */
function quotaWaitOf({ type, payload: { quota: account, dueAt } }: EventView): QuotaWait | null {
  return type === 'order.requeued' && typeof account === 'string' ? { account, until: String(dueAt) } : null;
}

/** 0 SUCCESS · 1 FAILURE · 3 PARTIAL_SUCCESS or unchecked · 4 ABORTED · 130 stopped by the operator. */
export function exitCodeOf({ signal, isStopped }: Pick<OrderReport, 'signal' | 'isStopped'>): number {
  if (isStopped) return EXIT_STOPPED;
  switch (signal) {
    case 'SUCCESS':
      return 0;
    case 'PARTIAL_SUCCESS':
      return 3;
    case 'ABORTED':
      return 4;
    default:
      return 1;
  }
}

const LOOK_MS = 500;

/** A command that is the node waits for the runs that other commands gave it, and says so. */
export async function waitForOthers(client: NodeClient, own: string): Promise<void> {
  let isTold = false;
  for (;;) {
    const status = await client.status();
    if (isRefusal(status)) return;
    const others = status.running.filter(
      ({ id, agent, run }) => id !== own && agent !== null && run?.isCarried && !run.isInterrupted,
    );
    if (others.length === 0) return;
    if (!isTold)
      printWarning(`still running ${others.map(({ id }) => id).join(', ')} for other commands; Ctrl-C abandons them`);
    isTold = true;
    await systemTimer().pause(LOOK_MS);
  }
}
