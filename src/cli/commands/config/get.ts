import { loadConfigSources } from '../../../config/load.ts';
import { loadConfig } from '../../../config/load-config.ts';
import { answerOf } from '../../answers.ts';
import { dataFolderOf } from '../../call-folder.ts';
import { type Command, UsageError } from '../../command.ts';
import { valueText } from '../../output/config-text.ts';

const EXIT_NOT_SET = 1;

export const getCommand: Command = {
  usage: 'baton config get KEY [--json]',
  about: 'Prints one setting; exit 1 where nobody set it. A key is what config show prints, such as http.port.',
  examples: ['baton config get http.port', 'baton config get agents.emma --json'],
  flags: {},
  async run(call) {
    const [key, tooMany] = call.words;
    if (key === undefined || tooMany !== undefined) throw new UsageError('config get: one key', 'baton config show');
    const { settings } = loadConfig(loadConfigSources(dataFolderOf(call)));
    const setting = settings.find((each) => each.key === key) ?? { key, value: null, origin: null };
    return answerOf(setting, {
      say: ({ value }) => valueText(value),
      exitCode: ({ origin }) => (origin === null ? EXIT_NOT_SET : 0),
    });
  },
};
