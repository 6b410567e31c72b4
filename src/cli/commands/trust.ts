import { readConfig, readConfigFile } from '../../config/config-file.ts';
import { loadConfigSources } from '../../config/load.ts';
import { needsTrust, settingsOf } from '../../config/settings.ts';
import { TrustedFiles } from '../../platform/trusted-paths.ts';
import { answerOf } from '../answers.ts';
import { dataFolderOf } from '../call-folder.ts';
import { type Command, UsageError } from '../command.ts';
import { trustText } from '../output/config-text.ts';

export const trustCommand: Command = {
  usage: 'baton trust [--json]',
  about: [
    'Trusts the baton.yaml of this repository in its present form. Until you do, and again after every change of the file,',
    'Baton ignores its checks, commands, shell, networks, paths, higher budgets and worktree settings. The same for a',
    'configuration file of your own that an agent changed during a run.',
  ].join('\n'),
  examples: ['baton trust', 'baton config show --origin'],
  ignores: ['key'],
  flags: {},
  async run(call) {
    if (call.words.length > 0) throw new UsageError('trust: takes no arguments', 'baton trust, in the repository');
    const { team, folder, mine, stateFolder } = loadConfigSources(dataFolderOf(call));
    const trusted = new TrustedFiles(stateFolder);
    const own = [folder, mine].filter((path) => trusted.isWithdrawn(path));
    const files = [...(team === null ? [] : [team]), ...own].flatMap(fileAt);
    if (files.length === 0)
      throw new UsageError('there is no baton.yaml at the root of a git repository here', 'cd into the repository');
    const granted = files.flatMap(grantedBy);
    for (const { path, text } of files) trusted.trust(path, text);
    return answerOf({ file: files.map(({ path }) => path).join(', '), granted }, { say: trustText });
  },
};

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
