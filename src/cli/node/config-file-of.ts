import { loadConfigSources } from '../../config/load.ts';
import { dataFolderOf, ownFolderOf } from '../call-folder.ts';
import { type Call, type FlagSpec, UsageError } from '../command.ts';

export const WHICH_FILE: Readonly<Record<string, FlagSpec>> = {
  mine: { takes: 'nothing', help: 'change ~/.config/baton/config.yaml, which counts in all your folders' },
  team: { takes: 'nothing', help: 'change baton.yaml at the git root, which counts for everybody who clones it' },
};

/** The settings file that a call changes; creates nothing. */
export function configFileOf(call: Call): string {
  if (call.flags.mine && call.flags.team) throw new UsageError('both --mine and --team', 'give one of them');
  const { mine, team, folder } = loadConfigSources(dataFolderOf(call));
  if (call.flags.mine) return mine;
  if (!call.flags.team) return folder;
  if (team !== null) return team;
  throw new UsageError('--team: there is no git repository here', 'cd into it');
}

/** Before the first write: the data folder, if the file is in there. */
export function makeFolderOfConfig(call: Call): void {
  if (!call.flags.mine && !call.flags.team) ownFolderOf(call);
}
