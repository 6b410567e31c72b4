import type { DashboardLink } from '../../api/contract.ts';
import { httpClient } from '../../api/http/http-client.ts';
import type { NodeClient } from '../../api/node-client.ts';
import { DASHBOARD_OPEN_MS_MAX, DASHBOARD_OPEN_POLL_MS } from '../../domain/http-limits.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { type NodeFile, readLiveNode } from '../../platform/files/node-file.ts';
import { forgetOpened, openBrowser, sshTarget } from '../../platform/process/open-browser.ts';
import { systemTimer } from '../../platform/timer.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { dataFolderOf, folderToServe } from '../call-folder.ts';
import { type Call, type CliCommand, UsageError } from '../command.ts';
import { type OpenAnswer, openText } from './node-text.ts';
import { startNodeDetached } from './start-node-detached.ts';

export const openCommand: CliCommand = {
  usage: 'baton open [--print] [--json]',
  about: [
    'Opens the dashboard in your browser: what needs you, what runs, what is finished, and every task with its story. The',
    'link logs one browser in, once, within 15 minutes. Without a node it starts one in the background (baton down stops',
    'it). On a machine without a screen it prints the link, over SSH with the command that forwards it to your browser.',
  ].join(' '),
  examples: ['baton open', 'baton open --print'],
  ignores: ['key'],
  flags: { print: { takes: 'nothing', help: 'print the link, open nothing' } },
  async run(call) {
    if (call.words.length > 0) throw new UsageError('open: takes no arguments', 'baton open --print');
    const { node, isStarted, data } = await nodeToOpen(call);
    const client = httpClient(node);
    const link = await client.createLink({});
    if (isRefusal(link)) return answerOfCall(link, { say: openText });
    const opened = call.flags.print || call.flags.json ? 'not-asked' : await openLink(client, link, data);
    const { port } = new URL(node.url);
    const target = sshTarget();
    const answer: OpenAnswer = {
      url: link.url,
      expiresAt: link.expiresAt,
      opened,
      ssh: target === null ? null : `ssh -N -L ${port}:127.0.0.1:${port} ${target}`,
      started: isStarted ? node.pid : null,
    };
    return answerOfCall(answer, { say: openText });
  },
};

interface NodeToOpen {
  readonly node: NodeFile;
  readonly isStarted: boolean;
  readonly data: string;
}

async function nodeToOpen(call: Call): Promise<NodeToOpen> {
  const data = dataFolderOf(call);
  const running = readLiveNode(data);
  if (running) return { node: running, isStarted: false, data };
  await startNodeDetached(call, await folderToServe(call));
  const node = readLiveNode(data);
  if (!node) throw new UsageError('the node went away as soon as it was started', 'baton doctor', 'node_not_ready');
  return { node, isStarted: true, data };
}

/** Waits a moment for the browser: what it printed is known only here. */
async function openLink(client: NodeClient, { id, url }: DashboardLink, data: string): Promise<OpenAnswer['opened']> {
  if (!(await openBrowser(url, data))) return 'no-browser';
  const timer = systemTimer();
  try {
    for (let waited = 0; waited < DASHBOARD_OPEN_MS_MAX; waited += DASHBOARD_OPEN_POLL_MS) {
      await timer.pause(DASHBOARD_OPEN_POLL_MS);
      const state = await client.showLink({ link: id });
      if (!isRefusal(state) && state.isUsed) return 'opened';
    }
    return 'not-yet';
  } finally {
    forgetOpened(data);
  }
}
