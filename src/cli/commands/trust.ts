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
    'Baton ignores its checks, commands, shell, networks, higher budgets and worktree settings.',
  ].join('\n'),
  examples: ['baton trust', 'baton config show --origin'],
  ignores: ['key'],
  flags: {},
  async run(call) {
    if (call.words.length > 0) throw new UsageError('trust: takes no arguments', 'baton trust, in the repository');
    const { team, stateFolder } = loadConfigSources(dataFolderOf(call));
    const text = team === null ? null : readConfigFile(team);
    if (team === null || text === null)
      throw new UsageError('there is no baton.yaml at the root of a git repository here', 'cd into the repository');
    const granted = [...settingsOf(readConfig(text, team))]
      .filter(([key, value]) => needsTrust(key, value, undefined))
      .map(([key, value]) => ({ key, value }));
    new TrustedFiles(stateFolder).trust(team, text);
    return answerOf({ file: team, granted }, { say: trustText });
  },
};
