import { isCollection, isMap, isScalar, parseDocument, stringify } from 'yaml';
import { readYaml } from '../protocols/yaml-text.ts';
import { ConfigFault } from './config-fault.ts';
import { readConfig, readConfigFile, writeConfigFile } from './config-file.ts';
import { splitKey } from './settings.ts';

export interface SettingChange {
  /** The file. */
  readonly path: string;
  readonly key: string;
  /** As YAML: 7420, emma, [npm test]. */
  readonly value: string;
  /** Called once the change is valid: creates what the file needs. */
  beforeWriting?(): void;
}

/** Sets one value in a file and keeps its comments and layout. Writes nothing if the result would be invalid. */
export function writeSetting({ path, key, value, beforeWriting }: SettingChange): void {
  const before = readConfigFile(path) ?? '';
  readConfig(before, path);
  const given = readYaml(value, 'value');
  if (given.kind === 'broken')
    throw new ConfigFault(key, [{ path: '', message: `${JSON.stringify(value)} is no YAML` }], 'quote it once more');
  const text = withValue(before, splitKey(key), given.value);
  refuseInvalid(text, key);
  beforeWriting?.();
  writeConfigFile(path, text);
}

/** Removes one value from a file and keeps the rest; false if the file does not have it. */
export function removeSetting(path: string, key: string): boolean {
  const before = readConfigFile(path) ?? '';
  readConfig(before, path);
  const document = parseDocument(before, { schema: 'core' });
  const [name, inner] = splitKey(key);
  if (!document.deleteIn(inner === null ? [name] : [name, inner])) return false;
  const text =
    isMap(document.contents) && document.contents.items.length === 0 ? '' : document.toString({ lineWidth: 0 });
  writeConfigFile(path, text);
  return true;
}

/** Edits the text in place where possible: adds a line for a new key, replaces a scalar by another. */
function withValue(before: string, [name, inner]: ReturnType<typeof splitKey>, value: unknown): string {
  const path = inner === null ? [name] : [name, inner];
  const document = parseDocument(before, { schema: 'core' });
  const present = document.getIn(path, true);
  if (isScalar(present) && present.range && !isCollection(document.createNode(value))) {
    const [from, to] = present.range;
    return `${before.slice(0, from)}${stringify(value).trimEnd()}${before.slice(to)}`;
  }
  const isFlowing = isMap(document.contents) && document.contents.flow === true;
  if (document.contents !== null && !document.has(name) && inner === null && !isFlowing) {
    return `${before.replace(/\n?$/, '\n')}${stringify({ [name]: value })}`;
  }
  document.setIn(path, value);
  return document.toString({ lineWidth: 0 });
}

function refuseInvalid(text: string, key: string): void {
  try {
    readConfig(text, key);
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    const hint = 'baton config show lists the keys that are set';
    throw new ConfigFault('nothing was set', error.problems, hint);
  }
}
