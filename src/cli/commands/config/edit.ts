import { readConfigFile } from '../../../config/config-file.ts';
import { loadEditor } from '../../../config/load.ts';
import { replaceConfig } from '../../../config/replace-config.ts';
import { runEditor } from '../../../platform/run-editor.ts';
import { answerOf } from '../../answers.ts';
import { type Command, UsageError } from '../../command.ts';
import { configFileOf, WHICH_FILE } from '../../config-file-of.ts';

export const editCommand: Command = {
  usage: 'baton config edit [--mine | --team] [--json]',
  about: [
    'Opens config.yaml of the data folder, or the file that a flag names, in your editor (VISUAL, else EDITOR). What you',
    'leave is taken over if it is valid; if not, the file stays as it was and you are told where your text is.',
  ].join('\n'),
  examples: ['baton config edit', 'baton config edit --mine'],
  flags: WHICH_FILE,
  async run(call) {
    if (call.words.length > 0) throw new UsageError('config edit: takes no words', 'baton config set KEY VALUE');
    const editor = loadEditor();
    if (editor === null) throw new UsageError('there is no editor', 'EDITOR=nano baton config edit');
    const file = configFileOf(call);
    const draft = runEditor(editor, readConfigFile(file) ?? '');
    const isChanged = replaceConfig(file, draft);
    return answerOf(
      { file, changed: isChanged },
      { say: () => (isChanged ? `${file} is changed` : `${file} is as it was`) },
    );
  },
};
