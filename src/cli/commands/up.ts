import { systemClock } from '../../platform/clock.ts';
import { isDetached, tellStarter } from '../../platform/detached.ts';
import { standardErrorLogger } from '../../platform/logger.ts';
import { folderToServe } from '../call-folder.ts';
import { type Answer, type Call, type Command, UsageError } from '../command.ts';
import { explainFault } from '../explain-fault.ts';
import { keepFolderNode } from '../node/keep-folder-node.ts';
import { nodeLogger, startNodeDetached } from '../node/start-node-detached.ts';
import { type UpAnswer, upText } from '../output/node-text.ts';

export const upCommand: Command = {
  usage: 'baton up [-d] [--port PORT] [--json]',
  about: [
    'Starts the node and keeps it running: its HTTP API, live events, and task files that you can edit. Other commands go',
    'through it and give the same answers as without it. It logs to stderr, one JSON object a line. Ctrl-C stops it.',
  ].join(' '),
  examples: ['baton up', 'baton up -d', 'baton up --port 7420'],
  ignores: ['key'],
  flags: {
    detach: { takes: 'nothing', short: 'd', help: 'run in the background; the log is node.log in the data folder' },
    port: {
      takes: 'value',
      shows: 'PORT',
      help: 'port of the HTTP API (default: http.port of the configuration, else any)',
    },
  },
  async run(call) {
    if (call.words.length > 0) throw new UsageError('up: takes no arguments', 'baton up -d');
    const dataFolder = await folderToServe(call);
    if (call.flags.detach && !isDetached()) return await startNodeDetached(call, dataFolder);
    return isDetached() ? await runDetached(call, dataFolder) : await runHere(call, dataFolder);
  },
};

async function runHere(call: Call, dataFolder: string): Promise<Answer<UpAnswer>> {
  const log = standardErrorLogger(systemClock());
  const { node, ended } = await keepFolderNode({ call, dataFolder, log });
  const door = await node.door.open();
  const { url, pid } = door.file;
  let status = 0;
  async function* values(): AsyncGenerator<UpAnswer> {
    yield { url, pid, data: dataFolder, log: null, dashboard: door.link() };
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
    const door = await node.door.open();
    const { url, pid } = door.file;
    await tellStarter({ kind: 'ready', url, pid, dashboard: door.link() });
    status = await ended;
  } catch (error) {
    await tellStarter({ kind: 'failed', ...explainFault(error) });
  }
  return { values: [], human: () => '', exitCode: () => status };
}
