import { hasColours, terminalColumns, wallMs } from '../platform/terminal.ts';
import type { Call } from './command.ts';
import { type Look, lookFor } from './output/look.ts';

/** How the answer to a call is shown: colours and a width only where somebody looks at a terminal. */
export function lookOf({ flags }: Pick<Call, 'flags'>): Look {
  const isForPeople = !flags.json;
  return lookFor(wallMs(), isForPeople && !flags['no-color'] && hasColours(), terminalColumns());
}
