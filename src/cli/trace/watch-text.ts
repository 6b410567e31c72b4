import type { EventView, StatusAnswer, TaskDetail } from '../../api/contract.ts';
import { widthOf } from '../output/lines.ts';
import type { Style } from '../output/style.ts';
import { secondText } from '../output/time-text.ts';
import { visible } from '../output/visible.ts';
import { type StatusRow, statusRows } from '../task/status-text.ts';
import { taskPage } from '../task/task-page.ts';
import { eventText } from './event-text.ts';
import { keysText, type WatchedItem, type WatchState } from './watch-keys.ts';

/** The state of all tasks, and the last events, oldest first. */
export interface WatchedHome {
  readonly status: StatusAnswer;
  readonly events: readonly EventView[];
  /** Set for a page with keys. */
  readonly keyed?: KeyedPage;
}

/** The parts of the page that keys change. */
export interface KeyedPage {
  readonly state: WatchState;
  readonly items: readonly WatchedItem[];
  /** The task that is opened; null for none. */
  readonly opened: TaskDetail | null;
  /** The result of the last key; empty before the first. */
  readonly note: string;
}

interface Screen {
  /** Null where nothing is drawn over: in a pipe. */
  readonly rows: number | null;
  readonly folderFlag: string;
}

/** Moves to the top left corner and clears what is below. */
const CLEAR = '\u001b[H\u001b[2J';

export function watchPage(home: WatchedHome, style: Style, { rows, folderFlag }: Screen): string {
  const { status, events, keyed } = home;
  const tasks = withMark(statusRows(status, style, folderFlag), keyed?.state.selected ?? null);
  const lately = [style.strong('Lately'), ...events.map((event) => shortLine(event, style))];
  if (rows === null) return [...tasks, '', ...lately, ''].join('\n');
  const opened = keyed?.opened ? taskPage(keyed.opened, style).split('\n') : null;
  const keys = style.faint(keyed ? keysText(keyed.state, keyed.items) : 'q quits');
  const end = keyed && keyed.note !== '' ? [visible(keyed.note), keys] : [keys];
  // The page never scrolls: what needs a person is at its top, so its end is left out first.
  const room = Math.max(1, rows - 1 - end.length);
  const lines = (opened ?? [...tasks, '', ...lately]).slice(0, room);
  return `${CLEAR}${[...lines, ...end].map((text) => cutTo(text, style.columns)).join('\n')}`;
}

/** The first line of the selected task begins with a mark in place of its margin. */
export function withMark(rows: readonly StatusRow[], selected: string | null): readonly string[] {
  const marked = selected === null ? -1 : rows.findIndex(({ task }) => task === selected);
  return rows.map(({ text }, at) => (at === marked ? `> ${text.slice(2)}` : text));
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
