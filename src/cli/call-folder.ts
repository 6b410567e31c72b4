import { existsSync } from 'node:fs';
import { isDataFolderNamed, loadDataFolder, loadStateFolder } from '../config/load.ts';
import { HOW_TO_BEGIN, isWithoutLedger, refuseOtherContent } from '../platform/files/data-folder.ts';
import { KnownFolders } from '../platform/files/trusted-paths.ts';
import { type Call, flagText, UsageError } from './command.ts';

/** The data folder of a call that only reads; creates nothing. */
export function dataFolderOf(call: Call): string {
  const path = chosenFolder(call);
  if (knownFolders().standingOf(path) !== 'unknown') return path;
  const named = flagText(call, 'data') === undefined ? '' : ` --data ${path}`;
  throw new UsageError(
    `${path} was not created on this machine, so Baton does not use it`,
    `inspect it, then: baton init --trust${named}`,
    'folder_not_trusted',
  );
}

/** The data folder of a command that only looks: one that was named must exist. */
export function seenFolderOf(call: Call): string {
  const path = dataFolderOf(call);
  if (existsSync(path) || !isDataFolderNamed(flagText(call, 'data'))) return path;
  throw new UsageError(
    `the data folder ${path} does not exist`,
    `check the path, or create it: baton init --data ${path}`,
    'folder_not_found',
  );
}

/** The data folder of a command that needs what is stored there. */
export function usedFolderOf(call: Call): string {
  const path = seenFolderOf(call);
  if (!isWithoutLedger(path)) return ownFolderOf(call);
  throw new UsageError(`nothing is stored in ${path} yet`, HOW_TO_BEGIN, 'folder_not_found');
}

/** The data folder of a call, created on first use. */
export function ownFolderOf(call: Call): string {
  const path = dataFolderOf(call);
  knownFolders().make(path);
  return path;
}

/** Trusts the data folder of a call. */
export function trustFolderOf(call: Call): string {
  const path = chosenFolder(call);
  const folders = knownFolders();
  if (folders.standingOf(path) === 'own') return path;
  folders.trust(path);
  return path;
}

function chosenFolder(call: Call): string {
  const choice = loadDataFolder(flagText(call, 'data'));
  if (choice.kind === 'wrong') throw new UsageError(choice.message, 'baton --data FOLDER, or BATON_DATA');
  refuseOtherContent(choice.path);
  return choice.path;
}

function knownFolders(): KnownFolders {
  return new KnownFolders(loadStateFolder());
}

/** The data folder for a node that stays, created on first use; not created if the settings of its HTTP API are wrong. */
export async function folderToServe(call: Call): Promise<string> {
  const folder = dataFolderOf(call);
  if (!existsSync(folder)) {
    const { serverSettings } = await import('./node/server-settings.ts');
    serverSettings(call, folder);
  }
  return ownFolderOf(call);
}
