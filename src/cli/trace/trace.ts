import type { TaskDetail } from '../../api/contract.ts';
import type { NodeClient, RequestOf } from '../../api/node-client.ts';
import type { OrderReport } from '../../api/order/order-contract.ts';
import type { TraceEntryView } from '../../api/trace/trace-contract.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { onStopSignal } from '../../platform/process/own-process.ts';
import { systemTimer } from '../../platform/timer.ts';
import { refused } from '../answer-of-call.ts';
import { taskWords } from '../call-parts.ts';
import { flagText, UsageError } from '../command.ts';
import { type NodeAnswer, nodeCommand } from '../node/node-command.ts';
import { htmlHead, TraceHtml } from './trace-html.ts';
import { TraceText } from './trace-text.ts';

const LOOK_MS = 200;
/** Messages may be long, and a page of whole ones must fit into memory. */
const WHOLE_PER_PAGE = 50;

export const traceCommand = nodeCommand({
  usage: 'baton trace TASK [--run RUN] [--type TYPE] [-f] [--json | --html]',
  about: [
    'Shows the work of a task turn by turn, all its runs in order: what its agent thought, did and saw, each tool call with its',
    'time, and the moves of the task. Secrets are masked. What a rewind superseded is marked. -f keeps printing until the work',
    'is over or you press Ctrl-C. --json prints the turns and events as SAOP has them, whole, one a line: baton check --as saop',
    'accepts each of them. --html prints one page that opens from disk, to share.',
  ].join(' '),
  examples: [
    'baton trace @',
    'baton trace 57 -f',
    'baton trace 57 --type TURN',
    'baton trace 57 --json > trace.ndjson',
    'baton trace 57 --html > trace.html',
  ],
  ignores: ['key'],
  flags: {
    run: { takes: 'value', shows: 'RUN', help: 'only this run' },
    type: { takes: 'value', shows: 'TYPE', help: 'only these, separated by commas: TURN, SANDBOX_PULSE, …' },
    html: { takes: 'nothing', help: 'print one page of HTML, without scripts and links' },
    follow: { takes: 'nothing', short: 'f', help: 'keep printing new turns and events' },
  },
  plan(call) {
    const reference = taskWords(call, 'trace');
    const [run, type] = [flagText(call, 'run'), flagText(call, 'type')];
    if (call.flags.html && call.flags.json) throw new UsageError('trace: --html or --json', 'baton trace TASK --html');
    const wanted = { ...(run !== undefined && { run }), ...(type !== undefined && { type }) };
    return async (client) => {
      const named = await client.showTask({ task: reference });
      if (isRefusal(named)) return refused(named);
      const request = { task: named.id, ...wanted };
      const first = await client.readTrace({ ...request, limit: 1 });
      if (isRefusal(first)) return refused(first);
      const isWhole = Boolean(call.flags.json ?? call.flags.html);
      const entries = traceEntries(
        client,
        { ...request, whole: isWhole, limit: WHOLE_PER_PAGE },
        Boolean(call.flags.follow),
      );
      if (call.flags.html) {
        const report = await client.orderReport({ task: named.id });
        return pageAnswer(entries, named, isRefusal(report) ? null : report);
      }
      return isWhole ? messagesAnswer(entries) : storyAnswer(entries, named);
    };
  },
});

/** All entries in order; followed, also those that come until the work is over or somebody stops it. */
async function* traceEntries(
  client: NodeClient,
  request: RequestOf<'readTrace'>,
  isFollowing: boolean,
): AsyncGenerator<TraceEntryView> {
  let isStopped = false;
  const stop = () => {
    if (isStopped) process.exit(1);
    isStopped = true;
  };
  const forget = isFollowing ? onStopSignal(stop) : () => {};
  for (let after: string | undefined; !isStopped; ) {
    // Asked first: what comes after the answer is read in the next round.
    const isOver = !isFollowing || (await isWorkOver(client, request.task));
    let isRest = false;
    while (!isRest && !isStopped) {
      const page = await client.readTrace({ ...request, ...(after !== undefined && { after }) });
      if (isRefusal(page)) return;
      yield* page.entries;
      after = page.entries.at(-1)?.cursor ?? after;
      isRest = page.next === null;
    }
    if (isOver) break;
    await systemTimer().pause(LOOK_MS);
  }
  forget();
}

async function isWorkOver(client: NodeClient, task: string): Promise<boolean> {
  const shown = await client.showTask({ task });
  if (isRefusal(shown)) return true;
  const log = await client.readLog({ task, after: Number.MAX_SAFE_INTEGER });
  return shown.runId === null && (isRefusal(log) || log.isEnd);
}

function messagesAnswer(entries: AsyncIterable<TraceEntryView>): NodeAnswer<unknown> {
  async function* values(): AsyncGenerator<unknown> {
    for await (const { message, isSuperseded } of entries)
      yield isSuperseded ? { ...message, superseded: true } : message;
  }
  return { values: values(), human: () => '', exitCode: () => 0 };
}

function pageAnswer(
  entries: AsyncIterable<TraceEntryView>,
  task: TaskDetail,
  report: OrderReport | null,
): NodeAnswer<string | null> {
  async function* values(): AsyncGenerator<string | null> {
    yield htmlHead(task, report);
    const page = new TraceHtml(task);
    for await (const entry of entries) yield page.entry(entry);
    yield page.end();
  }
  return { values: values(), human: (part) => part, exitCode: () => 0 };
}

function storyAnswer(
  entries: AsyncIterable<TraceEntryView>,
  task: {
    readonly id: string;
    readonly runs: readonly { readonly id: string; readonly agent: string; readonly startedAt: string }[];
  },
): NodeAnswer<TraceEntryView> {
  const story = new TraceText(task.runs);
  let isEmpty = true;
  return {
    values: entries,
    human(entry, style) {
      const text = story.textOf(entry, style);
      if (text !== null) isEmpty = false;
      return text;
    },
    summary: () => (isEmpty ? `${task.id} has no turns or events yet` : null),
    exitCode: () => 0,
  };
}
