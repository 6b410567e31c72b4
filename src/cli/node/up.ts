import { systemClock } from '../../platform/clock.ts';
import { readLiveNode } from '../../platform/files/node-file.ts';
import { standardErrorLogger } from '../../platform/logger.ts';
import { isDetached, tellStarter } from '../../platform/process/detached.ts';
import { folderToServe } from '../call-folder.ts';
import { shellWord } from '../call-parts.ts';
import { type Answer, type Call, type CliCommand, UsageError } from '../command.ts';
import { explainFault } from '../explain-fault.ts';
import { callIn, everyFolder } from './every-folder.ts';
import { keepFolderNode } from './keep-folder-node.ts';
import { type UpAnswer, upText } from './node-text.ts';
import { nodeLogger, startNodeDetached } from './start-node-detached.ts';

export const upCommand: CliCommand = {
  usage: 'baton up [-d] [--port PORT] | --all [--json]',
  about: [
    'Starts the node and keeps it running: its HTTP API, live events, and task files that you can edit. Other commands go',
    'through it and give the same answers as without it. It logs to stderr, one JSON object a line. Ctrl-C stops it.',
  ].join(' '),
  examples: ['baton up', 'baton up -d', 'baton up --all', 'baton up --port 7420'],
  ignores: ['key'],
  flags: {
    all: { takes: 'nothing', help: 'in the background, for every data folder of this user' },
    detach: { takes: 'nothing', short: 'd', help: 'run in the background; the log is node.log in the data folder' },
    port: {
      takes: 'value',
      shows: 'PORT',
      help: 'port of the HTTP API (default: http.port of the configuration, else any)',
    },
  },
  async run(call) {
    if (call.words.length > 0) throw new UsageError('up: takes no arguments', 'baton up -d');
    if (call.flags.all) return await startEvery(call);
    const dataFolder = await folderToServe(call);
    if (call.flags.detach && !isDetached()) return await startNodeDetached(call, dataFolder);
    return isDetached() ? await runDetached(call, dataFolder) : await runHere(call, dataFolder);
  },
};

/** A node of one of several data folders, or why there is none. */
type EveryUp =
  | Pick<UpAnswer, 'url' | 'pid' | 'data'>
  | { readonly data: string; readonly code: string; readonly message: string };

/** Starts the nodes that are not running; one that cannot start does not keep the others from it. */
async function startEvery(call: Call): Promise<Answer<EveryUp>> {
  if (call.flags.port !== undefined) throw new UsageError('up: both --port and --all', 'each node takes a free port');
  const folders = everyFolder(call, 'up');
  let hasFailed = false;
  async function* values(): AsyncGenerator<EveryUp> {
    for (const data of folders) {
      const running = readLiveNode(data);
      if (running) {
        yield { url: running.url, pid: running.pid, data };
        continue;
      }
      try {
        yield* (await startNodeDetached(callIn(call, data), data)).values;
      } catch (error) {
        const { code, refusal } = explainFault(error);
        hasFailed = true;
        yield { data, code, message: refusal.message };
      }
    }
  }
  return {
    values: values(),
    human: (up) =>
      'url' in up
        ? `${up.data} is running at ${up.url} (process ${up.pid})`
        : { message: `${up.data}: ${up.message}`, hint: `baton doctor --data ${shellWord(up.data)}` },
    summary: () => (folders.length === 0 ? 'nothing is stored in any data folder of yours' : null),
    exitCode: () => (hasFailed ? 1 : 0),
  };
}

async function runHere(call: Call, dataFolder: string): Promise<Answer<UpAnswer>> {
  const log = standardErrorLogger(systemClock());
  const { node, ended } = await keepFolderNode({ call, dataFolder, log });
  const server = await node.server.open();
  const { url, pid } = server.file;
  let status = 0;
  async function* values(): AsyncGenerator<UpAnswer> {
    yield { url, pid, data: dataFolder, log: null, dashboard: server.link() };
    status = await ended;
  }
  return { values: values(), human: upText, exitCode: () => status };
}

/** Prints nothing: reports to the process that started it, and writes the log file. */
async function runDetached(call: Call, dataFolder: string): Promise<Answer<never>> {
  let status = 1;
  const log = nodeLogger(dataFolder);
  try {
    const { node, ended } = await keepFolderNode({ call, dataFolder, log });
    const server = await node.server.open();
    const { url, pid } = server.file;
    await tellStarter({ kind: 'ready', url, pid, dashboard: server.link() });
    status = await ended;
  } catch (error) {
    await tellStarter({ kind: 'failed', ...explainFault(error) });
  }
  return { values: [], human: () => '', exitCode: () => status };
}
