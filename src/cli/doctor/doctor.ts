import { counted } from '../../domain/words/counted.ts';
import { inspectHolder } from '../../node/folder/folder-holder.ts';
import { seenFolderOf } from '../call-folder.ts';
import { type Answer, type CliCommand, UsageError } from '../command.ts';
import { findingLine } from '../node/node-text.ts';
import { agentFindings, configFinding } from './config-findings.ts';
import type { DoctorFinding } from './doctor-finding.ts';
import { folderFindings } from './folder-findings.ts';
import { ledgerFindings } from './ledger-findings.ts';
import { machineFindings } from './machine-findings.ts';
import { repositoryFinding } from './repository-finding.ts';
import { shadowFinding } from './shadow-finding.ts';

const EXIT_SICK = 1;

export const doctorCommand: CliCommand = {
  usage: 'baton doctor [--json]',
  about: [
    'Checks everything that Baton needs, and says how to fix what is missing or wrong: the machine, the data folder, every',
    'page of the ledger, the task files, the configuration, the files behind undo. It changes nothing. Exit 0 if all is well,',
    '1 otherwise.',
  ].join(' '),
  examples: ['baton doctor', 'baton doctor --json'],
  ignores: ['key'],
  flags: {},
  async run(call): Promise<Answer<DoctorFinding>> {
    if (call.words.length > 0) throw new UsageError('doctor: takes no arguments', 'baton doctor --data FOLDER');
    const folder = seenFolderOf(call);
    let wrongs = 0;
    async function* values(): AsyncGenerator<DoctorFinding> {
      for (const look of [
        machineFindings,
        () => folderFindings(folder, inspectHolder(folder)),
        () => [configFinding(folder)],
        () => agentFindings(folder),
        () => ledgerFindings(folder),
        async () => [await shadowFinding(folder)],
        async () => [await repositoryFinding(folder)],
      ]) {
        const findings = await look();
        wrongs += findings.filter(({ state }) => state === 'wrong').length;
        yield* findings;
      }
    }
    return {
      values: values(),
      human: findingLine,
      summary: () => (wrongs === 0 ? 'all is well' : `${counted(wrongs, 'problem')} found`),
      exitCode: () => (wrongs === 0 ? 0 : EXIT_SICK),
    };
  },
};
