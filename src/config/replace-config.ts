import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigFault } from './config-fault.ts';
import { readConfigFile, writeConfigFile } from './config-file.ts';
import { readConfig } from './read-config.ts';

/** Takes over a text from a folder of its own, if it is valid; if not, it stays where it is and the file as it was. */
export function replaceConfig(path: string, draft: string): boolean {
  const text = readFileSync(draft, 'utf8');
  try {
    readConfig(text, path);
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    throw new ConfigFault(path, error.problems, `your text is kept in ${draft}`);
  }
  const isChanged = text !== (readConfigFile(path) ?? '');
  if (isChanged) writeConfigFile(path, text);
  rmSync(dirname(draft), { recursive: true });
  return isChanged;
}
