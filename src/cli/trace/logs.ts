import type { NodeClient } from '../../api/node-client.ts';
import type { LogEntry, LogPage } from '../../api/order/order-contract.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { onStopSignal } from '../../platform/process/own-process.ts';
import { systemTimer } from '../../platform/timer.ts';
import { refused } from '../answer-of-call.ts';
import { taskWords } from '../call-parts.ts';
import { type NodeAnswer, nodeCommand } from '../node/node-command.ts';
import { visibleLines } from '../output/visible.ts';
import { entryText, type StoryPlace } from './story-text.ts';

const LOOK_MS = 200;

/** An entry of the story, a part of the raw lines, or the output of a check. */
type LogPart =
  | ({ readonly task: string; readonly run: string | null } & LogEntry)
  | { readonly task: string; readonly text: string; readonly kind: 'raw' }
  | { readonly task: string; readonly text: string; readonly kind: 'check'; readonly check: string };

export const logsCommand = nodeCommand({
  usage: 'baton logs TASK [-f] [--raw] [--json]',
  about: [
    'Prints what the agents of a task did, all its attempts in order: thoughts, words, tool calls with their results, what was',
    'asked and answered, and the output of the program; each step with its age within the attempt. Then the end of what each',
    'check printed that did not pass. Secrets that Baton knows are masked. -f keeps printing until the work is over or you',
    "press Ctrl-C. --raw prints the lines of the agents' programs as they printed them, and nothing else. --json prints one",
    'step a line.',
  ].join(' '),
  examples: ['baton logs @', 'baton logs 57 -f', 'baton logs 57 --raw'],
  ignores: ['key'],
  flags: {
    follow: { takes: 'nothing', short: 'f', help: 'keep printing new output' },
    raw: { takes: 'nothing', help: "the lines of the agents' programs, byte for byte" },
  },
  plan(call) {
    const reference = taskWords(call, 'logs');
    const isRaw = Boolean(call.flags.raw);
    return async (client) => {
      const named = await client.showTask({ task: reference });
      if (isRefusal(named)) return refused(named);
      const pages = new LogPages(client, { task: named.id, raw: isRaw, isFollowing: Boolean(call.flags.follow) });
      return isRaw ? rawAnswer(pages, named.id) : storyAnswer(pages, client, named.id);
    };
  },
});

interface LogRequest {
  readonly task: string;
  readonly raw: boolean;
  readonly isFollowing: boolean;
}

/** The pages of a log, with -f until the work is over or Ctrl-C. */
class LogPages {
  readonly #client: NodeClient;
  readonly #wanted: LogRequest;
  isStopped = false;

  constructor(client: NodeClient, wanted: LogRequest) {
    this.#client = client;
    this.#wanted = wanted;
  }

  async *all(): AsyncGenerator<LogPage> {
    const { task, raw, isFollowing } = this.#wanted;
    const forget = isFollowing ? onStopSignal(() => this.#leave()) : () => {};
    for (let after = 0; !this.isStopped; ) {
      const page = await this.#client.readLog({ task, after, ...(raw && { raw }) });
      if (isRefusal(page)) return;
      if (page.text !== '') yield page;
      const isRest = page.next === after;
      after = page.next;
      if (isRest && (page.isEnd || !isFollowing)) break;
      if (isRest) await systemTimer().pause(LOOK_MS);
    }
    forget();
  }

  #leave(): void {
    if (this.isStopped) process.exit(1);
    this.isStopped = true;
  }
}

/** Whole lines, however long: only the end of a line is the end of a value. */
function rawAnswer(pages: LogPages, task: string): NodeAnswer<LogPart> {
  async function* values(): AsyncGenerator<LogPart> {
    let begun = '';
    for await (const { text } of pages.all()) {
      const end = text.lastIndexOf('\n') + 1;
      if (end > 0) yield { task, kind: 'raw', text: begun + text.slice(0, end) };
      begun = end > 0 ? text.slice(end) : begun + text;
    }
    if (begun !== '') yield { task, kind: 'raw', text: begun };
  }
  return {
    values: values(),
    // A terminal would obey what an agent wrote; a program gets every byte.
    human: ({ text }, { columns }) =>
      (columns === Number.POSITIVE_INFINITY ? text : visibleLines(text)).replace(/\n$/, ''),
    exitCode: () => 0,
  };
}

function storyAnswer(pages: LogPages, client: NodeClient, task: string): NodeAnswer<LogPart> {
  let isEmpty = true;
  let place: StoryPlace = { attempt: 0, startedAt: null };
  async function* values(): AsyncGenerator<LogPart> {
    let run: string | null = null;
    for await (const { entries } of pages.all()) {
      for (const entry of entries) {
        if (entry.kind === 'run') run = entry.id;
        isEmpty = false;
        yield { task, run, ...entry };
      }
    }
    if (!pages.isStopped) yield* await failedChecks(client, task);
  }
  return {
    values: values(),
    human(part, style) {
      if (part.kind === 'check' || part.kind === 'raw') return visibleLines(part.text.replace(/\n$/, ''));
      if (part.kind === 'run') place = { attempt: place.attempt + 1, startedAt: part.at };
      return entryText(part, place, style);
    },
    summary: () => (isEmpty ? `${task} has no output` : null),
    exitCode: () => 0,
  };
}

/** The checks that did not pass after the last attempt, each with the end of its output. */
async function failedChecks(client: NodeClient, task: string): Promise<readonly LogPart[]> {
  const report = await client.orderReport({ task });
  if (isRefusal(report)) return [];
  return report.failures.map(({ id, message, tail }) => {
    const heading = `--- check ${id}: ${message}`;
    return { task, kind: 'check', check: id, text: tail.trim() === '' ? heading : `${heading}\n${tail}` };
  });
}
