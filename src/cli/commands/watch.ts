import type { NodeClient } from '../../api/node-client.ts';
import { NodeFault } from '../../api/node-fault.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { type FollowedNode, openFollowedNode } from '../../node/follow-node.ts';
import type { NodeOptions } from '../../node.ts';
import { HOW_TO_BEGIN, isWithoutLedger } from '../../platform/data-folder.ts';
import { onStopSignal } from '../../platform/own-process.ts';
import { onKey, terminalRows, wallMs } from '../../platform/terminal.ts';
import { systemTimer } from '../../platform/timer.ts';
import { ownFolderOf, seenFolderOf } from '../call-folder.ts';
import { folderFlagOf } from '../call-parts.ts';
import { type Answer, type Call, type Command, UsageError } from '../command.ts';
import { endOnFault } from '../output/end-on-fault.ts';
import { type WatchedHome, watchPage } from '../output/watch-text.ts';

const LOOK_MS = 1_000;
const EVENTS_SHOWN = 8;

export const watchCommand: Command = {
  usage: 'baton watch [--json]',
  about: [
    'Shows what runs, waits and needs you, and what happened last, and keeps the page current until you press q or Ctrl-C.',
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
  const forgets = [onStopSignal(stop), isLive ? onKey((key) => key === 'q' && stop()) : () => {}];
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
      if (isLive || mark !== shown) yield home;
      shown = mark;
      await systemTimer().pause(LOOK_MS);
    }
  } finally {
    for (const forget of forgets) forget();
    await node.close();
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
