import { parseDocument } from 'yaml';
import { readYaml } from '../protocols/aof/yaml-text.ts';
import { ConfigFault } from './config-fault.ts';
import { readConfigFile, writeConfigFile } from './config-file.ts';
import { readConfig } from './read-config.ts';
import { splitKey } from './settings.ts';

export interface SettingChange {
  /** The file. */
  readonly path: string;
  readonly key: string;
  /** As YAML: 7420, emma, [npm test]. */
  readonly value: string;
}

/** Sets one value in a file; comments and everything else stay as they are. What would not be valid is not written. */
export function writeSetting({ path, key, value }: SettingChange): void {
  const before = readConfigFile(path) ?? '';
  readConfig(before, path);
  const given = readYaml(value, 'value');
  if (given.kind === 'broken')
    throw new ConfigFault(key, [{ path: '', message: `${JSON.stringify(value)} is no YAML` }], 'quote it once more');
  const [name, inner] = splitKey(key);
  const document = parseDocument(before, { schema: 'core' });
  document.setIn(inner === null ? [name] : [name, inner], given.value);
  const text = document.toString();
  refuseInvalid(text, key);
  writeConfigFile(path, text);
}

function refuseInvalid(text: string, key: string): void {
  try {
    readConfig(text, key);
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    throw new ConfigFault(key, error.problems, 'baton config show lists the keys that are set; nothing was written');
  }
}
