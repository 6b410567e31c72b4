import { existsSync } from 'node:fs';
import { dataFolderOf, ownFolderOf } from './call-folder.ts';
import type { Call } from './command.ts';

/** The folder of a node that is to be kept on, made on first need; none is made for a door that cannot be opened. */
export async function folderToServe(call: Call): Promise<string> {
  const folder = dataFolderOf(call);
  if (!existsSync(folder)) {
    const { doorSettings } = await import('./door-settings.ts');
    doorSettings(call, folder);
  }
  return ownFolderOf(call);
}
