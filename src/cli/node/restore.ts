import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { restoreNode } from '../../node.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { dataFolderOf, ownFolderOf } from '../call-folder.ts';
import { type CliCommand, UsageError } from '../command.ts';
import { endOnFault } from '../output/end-on-fault.ts';
import { restoreText } from './node-text.ts';

export const restoreCommand: CliCommand = {
  usage: 'baton restore FILE [--json]',
  about: [
    'Restores the ledger from a backup, rewrites all task files, and brings back the receipts, logs and other files of the',
    'backup. The ledger and files that it replaces are saved beside it; a config.yaml that is there stays. A backup that is',
    'damaged, altered or from another program is refused.',
  ].join(' '),
  examples: ['baton restore ~/baton-monday.bak'],
  ignores: ['key'],
  flags: {},
  async run(call) {
    const [file, tooMany] = call.words;
    if (file === undefined || tooMany !== undefined)
      throw new UsageError('restore: needs exactly one file', 'baton restore FILE');
    dataFolderOf(call);
    if (!existsSync(file))
      throw new UsageError(`there is no file ${file}`, 'baton restore FILE, a file of baton backup', 'unreadable_file');
    const json = Boolean(call.flags.json);
    const dataFolder = ownFolderOf(call);
    const onFatal = (fault: Error) => endOnFault(fault, json);
    return answerOfCall(await restoreNode({ dataFolder, file: resolve(file), onFatal }), { say: restoreText });
  },
};
