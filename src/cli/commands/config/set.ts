import { writeSetting } from '../../../config/write-setting.ts';
import { answerOf } from '../../answers.ts';
import { type Command, UsageError } from '../../command.ts';
import { configFileOf, WHICH_FILE } from '../../config-file-of.ts';

export const setCommand: Command = {
  usage: 'baton config set KEY VALUE [--mine | --team] [--json]',
  about: [
    'Sets one value in config.yaml of the data folder, or in the file that a flag names. The value is YAML, so a list is',
    '[a, b]. Comments and everything else stay; what would not be valid is refused and not written.',
  ].join('\n'),
  examples: ['baton config set default_agent emma', 'baton config set checks "[npm test]" --team'],
  flags: WHICH_FILE,
  async run(call) {
    const [key, value, tooMany] = call.words;
    if (key === undefined || value === undefined || tooMany !== undefined)
      throw new UsageError('config set: a key and a value', 'baton config set http.port 7420');
    const file = configFileOf(call);
    writeSetting({ path: file, key, value });
    return answerOf({ file, key, value }, { say: () => `${key} is set in ${file}` });
  },
};
