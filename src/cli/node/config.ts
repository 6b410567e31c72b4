import { readConfigFile, replaceConfig } from '../../config/config-file.ts';
import { loadConfigSources, loadEditor } from '../../config/load.ts';
import { loadConfig } from '../../config/load-config.ts';
import { SETTING_NAMES } from '../../config/schema.ts';
import { configOf, type Setting } from '../../config/settings.ts';
import { writeSetting } from '../../config/write-setting.ts';
import { nearWord } from '../../domain/words/near-word.ts';
import { runEditor } from '../../platform/process/run-editor.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { seenFolderOf } from '../call-folder.ts';
import { type Answer, type CliCommand, UsageError } from '../command.ts';
import { configFileOf, makeFolderOfConfig, WHICH_FILE } from './config-file-of.ts';
import { settingLine, valueText, withheldText } from './config-text.ts';

export const configShowCommand: CliCommand = {
  usage: 'baton config show [--origin] [--json]',
  about: [
    'Prints the settings in effect. Later sources win: built in, ~/.config/baton/config.yaml, baton.yaml at the git root,',
    'config.yaml of the data folder, BATON_… variables, flags. --origin names the source of each setting.',
  ].join(' '),
  examples: ['baton config show', 'baton config show --origin', 'baton config show --json'],
  ignores: ['key'],
  flags: { origin: { takes: 'nothing', help: 'show the source of each setting' } },
  async run(call): Promise<Answer<unknown>> {
    if (call.words.length > 0) throw new UsageError('config show: takes no arguments', 'baton config get KEY');
    const { settings, withheld } = loadConfig(loadConfigSources(seenFolderOf(call)));
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

const EXIT_NOT_SET = 1;

export const configGetCommand: CliCommand = {
  usage: 'baton config get KEY [--json]',
  about: 'Prints one setting; exit 1 if it is not set. Keys are those that config show prints, such as http.port.',
  examples: ['baton config get http.port', 'baton config get agents.emma --json'],
  ignores: ['key'],
  flags: {},
  async run(call) {
    const [key, tooMany] = call.words;
    if (key === undefined || tooMany !== undefined)
      throw new UsageError('config get: needs exactly one key', 'baton config show');
    refuseUnknown(key);
    const { settings } = loadConfig(loadConfigSources(seenFolderOf(call)));
    const setting = settings.find((each) => each.key === key) ?? { key, value: null, origin: null };
    return answerOfCall(setting, {
      say: ({ value, origin }) => (origin === null ? '' : valueText(value)),
      next: ({ origin }) => (origin === null ? `${key} is not set: baton config set ${key} VALUE` : null),
      exitCode: ({ origin }) => (origin === null ? EXIT_NOT_SET : 0),
    });
  },
};

/** A key that no configuration can have is a slip of the hand, not a setting that is not set. */
function refuseUnknown(key: string): void {
  const [name = ''] = key.split('.', 1);
  if (SETTING_NAMES.includes(name)) return;
  const near = nearWord(name, SETTING_NAMES);
  const hint = near === null ? 'baton config show' : `did you mean ${near}?`;
  throw new UsageError(`config get: there is no setting ${key}`, hint);
}

export const configSetCommand: CliCommand = {
  usage: 'baton config set KEY VALUE [--mine | --team] [--json]',
  about: [
    'Sets one value in config.yaml of the data folder, or in the file that a flag names. The value is YAML, so a list is',
    '[a, b]. Comments and other settings stay. An invalid value is refused and not written.',
  ].join(' '),
  examples: ['baton config set default_agent emma', 'baton config set checks "[npm test]" --team'],
  ignores: ['key'],
  flags: WHICH_FILE,
  async run(call) {
    const [key, value, tooMany] = call.words;
    if (key === undefined || value === undefined || tooMany !== undefined)
      throw new UsageError('config set: needs a key and a value', 'baton config set http.port 7420');
    const file = configFileOf(call);
    writeSetting({ path: file, key, value, beforeWriting: () => makeFolderOfConfig(call) });
    return answerOfCall({ file, key, value }, { say: () => `${key} is set in ${file}` });
  },
};

export const configEditCommand: CliCommand = {
  usage: 'baton config edit [--mine | --team] [--json]',
  about: [
    'Opens config.yaml of the data folder, or the file that a flag names, in your editor (VISUAL, else EDITOR). Your',
    'text is saved if it is valid; if not, the file stays unchanged and Baton says where your text is.',
  ].join(' '),
  examples: ['baton config edit', 'baton config edit --mine'],
  ignores: ['key'],
  flags: WHICH_FILE,
  async run(call) {
    if (call.words.length > 0) throw new UsageError('config edit: takes no arguments', 'baton config set KEY VALUE');
    const editor = loadEditor();
    if (editor === null) throw new UsageError('no editor is set', 'EDITOR=nano baton config edit');
    const file = configFileOf(call);
    const draft = runEditor(editor, readConfigFile(file) ?? '');
    makeFolderOfConfig(call);
    const isChanged = replaceConfig(file, draft);
    return answerOfCall(
      { file, changed: isChanged },
      { say: () => (isChanged ? `${file} is changed` : `${file} is unchanged`) },
    );
  },
};
