import { existsSync } from 'node:fs';
import { loadStateFolder } from '../../config/load.ts';
import { isWithoutLedger } from '../../platform/files/data-folder.ts';
import { KnownFolders } from '../../platform/files/trusted-paths.ts';
import { type Call, flagText, UsageError } from '../command.ts';

/** The data folders of this user in which something is stored, by name; those that were moved or removed are left out. */
export function everyFolder(call: Call, command: string): readonly string[] {
  if (flagText(call, 'data') !== undefined) {
    throw new UsageError(`${command}: both --data and --all`, `baton ${command} --all is about every data folder`);
  }
  const folders = new KnownFolders(loadStateFolder());
  const own = folders.paths().filter((path) => folders.standingOf(path) === 'own' && existsSync(path));
  return [...new Set(own)].filter((path) => !isWithoutLedger(path)).sort();
}

/** The same call about one of them. */
export function callIn(call: Call, folder: string): Call {
  return { ...call, flags: { ...call.flags, data: folder } };
}
