import { type Call, flagText } from './command.ts';

/** What a call to come has to say about the data folder, where this one named it; read by a shell it is the same. */
export function folderFlagOf(call: Call): string {
  const folder = flagText(call, 'data');
  return folder === undefined ? '' : ` --data ${quoted(folder)}`;
}

function quoted(word: string): string {
  return /^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
