import { loadConfigSources } from '../../../config/load.ts';
import { loadConfig } from '../../../config/load-config.ts';
import { configOf, type Setting } from '../../../config/settings.ts';
import { dataFolderOf } from '../../call-folder.ts';
import { type Answer, type Command, UsageError } from '../../command.ts';
import { settingLine, withheldText } from '../../output/config-text.ts';

export const showCommand: Command = {
  usage: 'baton config show [--origin] [--json]',
  about: [
    'Prints the settings that hold. Later wins: built in, ~/.config/baton/config.yaml, baton.yaml at the git root,',
    'config.yaml of the data folder, BATON_… variables, flags. --origin says which of them it was.',
  ].join('\n'),
  examples: ['baton config show', 'baton config show --origin', 'baton config show --json'],
  flags: { origin: { takes: 'nothing', help: 'who said so, for each setting' } },
  async run(call): Promise<Answer<unknown>> {
    if (call.words.length > 0) throw new UsageError('config show: takes no words', 'baton config get KEY');
    const { settings, withheld } = loadConfig(loadConfigSources(dataFolderOf(call)));
    const hasOrigin = Boolean(call.flags.origin);
    const isWhole = Boolean(call.flags.json) && !hasOrigin;
    return {
      values: isWhole ? [configOf(settings)] : settings,
      human: (setting) => (isWhole ? '' : settingLine(setting as Setting, hasOrigin)),
      summary: () => withheldText(withheld),
      exitCode: () => 0,
    };
  },
};
