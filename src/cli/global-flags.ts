import type { FlagSpec } from './command.ts';

/** Flags every command knows; they may stand anywhere. */
export const GLOBAL_FLAGS: Readonly<Record<string, FlagSpec>> = {
  json: { takes: 'nothing', help: 'one JSON value a line on stdout, and nothing else there' },
  data: {
    takes: 'value',
    shows: 'FOLDER',
    help: 'the data folder; else BATON_DATA, else .baton at the git root or here',
  },
  key: { takes: 'value', shows: 'KEY', help: 'sent again with the same key, a change is made once' },
  help: { takes: 'nothing', short: 'h', help: 'what the command does, with an example' },
  'no-color': { takes: 'nothing', help: 'plain text (also: NO_COLOR)' },
};
