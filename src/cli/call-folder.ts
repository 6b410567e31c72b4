import { existsSync } from 'node:fs';
import { loadDataFolder, loadStateFolder } from '../config/load.ts';
import { KnownFolders } from '../platform/trusted-paths.ts';
import { type Call, flagText, UsageError } from './command.ts';

/** The folder that a call is about, for who only looks: nothing is made. */
export function dataFolderOf(call: Call): string {
  const path = chosenFolder(call);
  if (knownFolders().standingOf(path) !== 'foreign') return path;
  const named = flagText(call, 'data') === undefined ? '' : ` --data ${path}`;
  throw new UsageError(
    `${path} was not made on this machine, so nothing in it counts`,
    `look into it, then: baton init --trust${named}`,
    'folder_not_trusted',
  );
}

/** The same, made on first need. */
export function ownFolderOf(call: Call): string {
  const path = dataFolderOf(call);
  knownFolders().make(path);
  return path;
}

/** A person says that what is in the folder counts. */
export function trustFolderOf(call: Call): string {
  const path = chosenFolder(call);
  const folders = knownFolders();
  if (folders.standingOf(path) === 'own') return path;
  folders.trust(path);
  return path;
}

function chosenFolder(call: Call): string {
  const choice = loadDataFolder(flagText(call, 'data'));
  if (choice.kind === 'folder') return choice.path;
  throw new UsageError(choice.message, 'baton --data FOLDER, or BATON_DATA');
}

function knownFolders(): KnownFolders {
  return new KnownFolders(loadStateFolder());
}

/** The folder of a node that is to be kept on, made on first need; none is made for a door that cannot be opened. */
export async function folderToServe(call: Call): Promise<string> {
  const folder = dataFolderOf(call);
  if (!existsSync(folder)) {
    const { doorSettings } = await import('./door-settings.ts');
    doorSettings(call, folder);
  }
  return ownFolderOf(call);
}
