import type { EventView, StatusAnswer } from '../../api/contract.ts';
import { eventText } from './event-text.ts';
import { widthOf } from './lines.ts';
import { statusPage } from './status-text.ts';
import type { Style } from './style.ts';
import { secondText } from './time-text.ts';
import { visible } from './visible.ts';

/** The state of all tasks, and the last events, oldest first. */
export interface WatchedHome {
  readonly status: StatusAnswer;
  readonly events: readonly EventView[];
}

interface Screen {
  /** Null where nothing is drawn over: in a pipe. */
  readonly rows: number | null;
  readonly folderFlag: string;
}

/** Moves to the top left corner and clears what is below. */
const CLEAR = '\u001b[H\u001b[2J';

export function watchPage({ status, events }: WatchedHome, style: Style, { rows, folderFlag }: Screen): string {
  const home = statusPage(status, style, folderFlag).split('\n');
  const lately = [style.strong('Lately'), ...events.map((event) => shortLine(event, style))];
  if (rows === null) return [...home, '', ...lately, ''].join('\n');
  const keys = style.faint('q quits');
  // The page never scrolls: what needs a person is at its top, so its end is left out first.
  const room = Math.max(1, rows - 2);
  const lines = [...home, '', ...lately].slice(0, room).map((text) => cutTo(text, style.columns));
  return `${CLEAR}${[...lines, keys].join('\n')}`;
}

/** Without date and number, which a screen of today's events has no room for. */
function shortLine(event: EventView, style: Style): string {
  const about = [style.faint(secondText(event.timestamp).slice(-8)), style.strong(event.taskId ?? '-')];
  return `  ${about.join('  ')}  ${visible(event.actor)} ${eventText(event, style)}`;
}

/** A line that would wrap is cut; one with colours that fits stays. */
function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  for (const part of text.split(/(\u001b\[\d+m)/)) {
    if (part.startsWith('\u001b')) kept += part;
    else for (const character of part) if (widthOf(kept + character) < columns) kept += character;
  }
  return `${kept}…`;
}
