import type { StatusAnswer } from '../../api/contract.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { readLiveNode } from '../../platform/files/node-file.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { dataFolderOf } from '../call-folder.ts';
import { folderFlagOf } from '../call-parts.ts';
import { type Answer, type Call, type CliCommand, UsageError } from '../command.ts';
import { explainFault } from '../explain-fault.ts';
import { callIn, everyFolder } from '../node/every-folder.ts';
import { nodeCommand } from '../node/node-command.ts';
import { openSeen } from '../node/open-client.ts';
import { everyFolderText, statusPage } from './status-text.ts';

/** The status of one of several data folders, or why it cannot be read. */
export type FolderStatus = StatusAnswer | { readonly data: string; readonly code: string; readonly message: string };

const ofOneFolder = nodeCommand({
  usage: 'baton status [--all] [--json]',
  about: [
    'Shows what is running and since when, what needs you and why, whose work waits to be applied, what is waiting, and what',
    'is wrong. With --all it does so for every data folder of yours, with --json one line each.',
  ].join(' '),
  examples: ['baton status', 'baton status --all', 'baton status --json'],
  ignores: ['key'],
  flags: { all: { takes: 'nothing', help: 'every data folder of this user' } },
  plan(call) {
    return async (client) =>
      answerOfCall(await client.status(), {
        say: (status, style) => statusPage(status, style, folderFlagOf(call)),
        next: (status) => nextReady(status, call),
      });
  },
});

export const statusCommand: CliCommand = {
  ...ofOneFolder,
  run: async (call) => {
    if (call.words.length > 0) throw new UsageError('status: takes no arguments', 'baton task show TASK');
    return call.flags.all ? ofEveryFolder(call) : await ofOneFolder.run(call);
  },
};

/** Without a node nothing starts a task that is ready, such as one whose node was killed. */
function nextReady({ waiting }: StatusAnswer, call: Call): string | null {
  const isReady = ({ status, agent, missingAgent, quota }: StatusAnswer['waiting'][number]) =>
    status === 'ready' && agent !== null && missingAgent === null && quota === null;
  const first = waiting.find(isReady);
  if (!first || readLiveNode(dataFolderOf(call)) !== null) return null;
  const flag = folderFlagOf(call);
  return `no node is running, so nothing starts by itself\nnext: baton run ${first.id}${flag}  run it, or continue it`;
}

function ofEveryFolder(call: Call): Answer<FolderStatus> {
  const folders = everyFolder(call, 'status');
  let hasFailed = false;
  async function* values(): AsyncGenerator<FolderStatus> {
    for (const folder of folders) {
      const status = await statusIn(callIn(call, folder), folder);
      hasFailed ||= 'message' in status;
      yield status;
    }
  }
  return {
    values: values(),
    human: (status, style) => everyFolderText(status, style),
    summary: () => (folders.length === 0 ? 'nothing is stored in any data folder of yours' : null),
    exitCode: () => (hasFailed ? 1 : 0),
  };
}

/** A folder that cannot be read does not hide the others. */
async function statusIn(call: Call, data: string): Promise<FolderStatus> {
  try {
    const { client } = await openSeen(call);
    try {
      const status = await client.status();
      return isRefusal(status) ? { data, code: status.code, message: status.message } : status;
    } finally {
      await client.close();
    }
  } catch (error) {
    const { code, refusal } = explainFault(error);
    return { data, code, message: refusal.message };
  }
}
