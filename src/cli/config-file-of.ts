import { loadConfigSources } from '../config/load.ts';
import { ownFolderOf } from './call-folder.ts';
import { type Call, type FlagSpec, UsageError } from './command.ts';

export const WHICH_FILE: Readonly<Record<string, FlagSpec>> = {
  mine: { takes: 'nothing', help: 'in ~/.config/baton/config.yaml, for all folders of yours' },
  team: { takes: 'nothing', help: 'in baton.yaml at the git root, for all who clone it' },
};

/** The file that a call is to change. */
export function configFileOf(call: Call): string {
  if (call.flags.mine && call.flags.team) throw new UsageError('--mine and --team both', 'give one of them');
  const { mine, team, folder } = loadConfigSources(ownFolderOf(call));
  if (call.flags.mine) return mine;
  if (!call.flags.team) return folder;
  if (team !== null) return team;
  throw new UsageError('--team: there is no git repository here', 'cd into it');
}
