import { readConfig, readConfigFile } from '../../config/config-file.ts';
import { loadConfigSources } from '../../config/load.ts';
import { needsTrust, settingsOf } from '../../config/settings.ts';
import { TrustedFiles } from '../../platform/files/trusted-paths.ts';
import { askLine, isInteractive, isYes } from '../../platform/terminal.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { dataFolderOf } from '../call-folder.ts';
import { type Call, type CliCommand, UsageError } from '../command.ts';
import { printAside } from '../output/print.ts';
import { type TrustedFile, trustedFileText, wouldAllowText } from './config-text.ts';

export const trustCommand: CliCommand = {
  usage: 'baton trust [--yes] [--json]',
  about: [
    'Trusts the baton.yaml of this repository in its present form. Until you do, and again after every change of the file,',
    'Baton ignores its checks, commands, shell, networks, paths, higher budgets and worktree settings. The same for a',
    'configuration file of your own that an agent changed during a run. It shows what would take effect, and asks.',
  ].join(' '),
  examples: ['baton trust', 'baton trust --yes', 'baton config show --origin'],
  ignores: ['key'],
  flags: { yes: { takes: 'nothing', short: 'y', help: 'trust without being asked, for scripts' } },
  async run(call) {
    if (call.words.length > 0) throw new UsageError('trust: takes no arguments', 'baton trust, in the repository');
    const { team, folder, mine, stateFolder } = loadConfigSources(dataFolderOf(call));
    const trusted = new TrustedFiles(stateFolder);
    const own = [folder, mine].filter((path) => trusted.isWithdrawn(path));
    const files = [...(team === null ? [] : [team]), ...own].flatMap(fileAt);
    if (files.length === 0)
      throw new UsageError('there is no baton.yaml at the root of a git repository here', 'cd into the repository');
    const granted = files.flatMap(grantedBy);
    const named = files.map(({ path }) => path).join(', ');
    if (!call.flags.yes) await agree(call, { file: named, granted });
    for (const { path, text } of files) trusted.trust(path, text);
    return answerOfCall({ file: named, granted }, { say: trustedFileText });
  },
};

/** Shows what would take effect before it asks. Without a terminal nothing is trusted. */
async function agree(call: Call, answer: TrustedFile): Promise<void> {
  printAside(wouldAllowText(answer));
  if (!isInteractive() || call.flags.json)
    throw new UsageError('nothing was trusted: there is no terminal to ask on', 'baton trust --yes', 'needs_answer');
  const line = await askLine('Trust it in this form? [y/N] ');
  if (!isYes(line)) throw new UsageError('nothing was trusted', 'baton trust', 'not_agreed');
}

interface FileText {
  readonly path: string;
  readonly text: string;
}

function fileAt(path: string): FileText[] {
  const text = readConfigFile(path);
  return text === null ? [] : [{ path, text }];
}

function grantedBy({ path, text }: FileText) {
  return [...settingsOf(readConfig(text, path))]
    .filter(([key, value]) => needsTrust(key, value, undefined))
    .map(([key, value]) => ({ key, value }));
}
