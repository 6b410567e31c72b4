import type { StatusAnswer } from '../../api/contract.ts';
import type { NodeClient } from '../../api/node-client.ts';
import { NodeFault } from '../../api/node-fault.ts';
import { assertNever } from '../../domain/assert-never.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { type FollowedNode, openFollowedNode } from '../../node/client/follow-node.ts';
import type { NodeOptions } from '../../node.ts';
import { HOW_TO_BEGIN, isWithoutLedger } from '../../platform/files/data-folder.ts';
import { onStopSignal } from '../../platform/process/own-process.ts';
import { onKey, terminalRows, wallMs } from '../../platform/terminal.ts';
import { systemTimer } from '../../platform/timer.ts';
import { ownFolderOf, seenFolderOf } from '../call-folder.ts';
import { folderFlagOf } from '../call-parts.ts';
import { type Answer, type Call, type CliCommand, UsageError } from '../command.ts';
import { endOnFault } from '../output/end-on-fault.ts';
import { NOTHING_SELECTED, pressKey, type WatchAction, type WatchedItem, watchedItems } from './watch-keys.ts';
import { type KeyedPage, type WatchedHome, watchPage } from './watch-text.ts';

const LOOK_MS = 1_000;
const EVENTS_SHOWN = 8;

export const watchCommand: CliCommand = {
  usage: 'baton watch [--json]',
  about: [
    'Shows what runs, waits and needs you, and what happened last, and keeps the page current until you press q or Ctrl-C.',
    'j and k select a task, Enter opens it; y and n answer its question, a approves its work, x stops its agent (each of these two twice).',
    'In a pipe, and with --json, it prints the state again whenever it changed. Without a node it acts as one until it exits.',
  ].join(' '),
  examples: ['baton watch', 'baton watch --json'],
  ignores: ['key'],
  flags: {},
  run: async (call) => {
    if (call.words.length > 0) throw new UsageError('watch: takes no arguments', 'baton trace TASK -f');
    const seen = seenFolderOf(call);
    if (isWithoutLedger(seen)) {
      throw new UsageError(`nothing is stored in ${seen} yet`, HOW_TO_BEGIN, 'folder_not_found');
    }
    return await watchAnswer(call);
  },
};

async function watchAnswer(call: Call): Promise<Answer<unknown>> {
  const json = Boolean(call.flags.json);
  const options = { dataFolder: ownFolderOf(call), onFatal: (fault: Error) => endOnFault(fault, json) };
  const rows = json ? null : terminalRows();
  const screen = { rows, folderFlag: folderFlagOf(call) };
  return {
    values: homes(await openFollowedNode(options), options, rows !== null),
    human: (home, style) => watchPage(home as WatchedHome, { ...style, nowMs: wallMs() }, screen),
    exitCode: () => 0,
  };
}

/** The state now and whenever it changes; on a terminal every second, since it shows ages. */
async function* homes(first: FollowedNode, options: NodeOptions, isLive: boolean): AsyncGenerator<WatchedHome> {
  const stopping = new AbortController();
  const stop = () => {
    if (stopping.signal.aborted) process.exit(1);
    stopping.abort();
  };
  const keys = new WatchKeys(stop);
  const forgets = [onStopSignal(stop), isLive ? onKey((typed) => keys.press(typed)) : () => {}];
  let node = first;
  let shown = '';
  try {
    while (!stopping.signal.aborted) {
      const home = await homeOf(node.client);
      if (home === null) {
        // The node went away: the next one continues, or this process is one.
        await node.close();
        node = await openFollowedNode(options);
        continue;
      }
      const mark = markOf(home);
      if (isLive) yield { ...home, keyed: await keys.pageOf(node.client, home.status) };
      else if (mark !== shown) yield home;
      shown = mark;
      await Promise.race([systemTimer().pause(LOOK_MS), keys.pressed()]);
      await keys.perform(node.client);
    }
  } finally {
    for (const forget of forgets) forget();
    await node.close();
  }
}

/** The keys of a page: what is selected, what is to be done, and what came of it. */
class WatchKeys {
  readonly #onQuit: () => void;
  readonly #deeds: WatchAction[] = [];
  #state = NOTHING_SELECTED;
  #items: readonly WatchedItem[] = [];
  #note = '';
  #wake: () => void = () => {};

  constructor(onQuit: () => void) {
    this.#onQuit = onQuit;
  }

  /** Keys that are typed fast come together; those of arrows begin with an escape. */
  press(typed: string): void {
    for (const key of typed.startsWith('\u001b') ? [typed] : typed) {
      if (key === 'q') this.#onQuit();
      const { state, deed } = pressKey(this.#state, key, this.#items);
      this.#state = state;
      this.#note = '';
      if (deed !== null) this.#deeds.push(deed);
    }
    this.#wake();
  }

  pressed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async perform(client: NodeClient): Promise<void> {
    for (const deed of this.#deeds.splice(0)) this.#note = await noteOf(client, deed);
  }

  async pageOf(client: NodeClient, status: StatusAnswer): Promise<KeyedPage> {
    this.#items = watchedItems(status);
    const { selected, isOpen } = this.#state;
    const opened = isOpen && selected !== null ? await client.showTask({ task: selected }) : null;
    return {
      state: this.#state,
      items: this.#items,
      opened: opened === null || isRefusal(opened) ? null : opened,
      note: this.#note,
    };
  }
}

/** Does it, and says what came of it: also who was first. */
async function noteOf(client: NodeClient, deed: WatchAction): Promise<string> {
  switch (deed.kind) {
    case 'answer': {
      const { reference, answer } = deed;
      const done = await client.answerQuestion({ task: reference, answer });
      return isRefusal(done) ? done.message : `answered ${answer}: ${done.taskId} asked to ${done.what}`;
    }
    case 'approve': {
      const done = await client.approveReview({ task: deed.reference });
      return isRefusal(done) ? done.message : `approved ${done.task.id}`;
    }
    case 'stop': {
      const done = await client.stopOrder({ task: deed.task });
      return isRefusal(done) ? done.message : `stopping ${done.id}`;
    }
    default:
      return assertNever(deed);
  }
}

/** Null where the node does not answer any more. */
async function homeOf(client: NodeClient): Promise<WatchedHome | null> {
  try {
    const status = await client.status();
    const page = await client.listEvents({ order: 'newest', limit: EVENTS_SHOWN });
    if (isRefusal(status)) throw new NodeFault('status', status.message, { retryable: false, code: status.code });
    if (isRefusal(page)) throw new NodeFault('events', page.message, { retryable: false, code: page.code });
    return { status, events: page.events.toReversed() };
  } catch (error) {
    if (error instanceof NodeFault && error.retryable) return null;
    throw error;
  }
}

/** Events number all changes; the activity of agents makes none. */
function markOf({ status, events }: WatchedHome): string {
  const activities = status.running.map(({ run }) => run?.activity?.text ?? null);
  return JSON.stringify([events.at(-1)?.eventId ?? 0, activities]);
}
