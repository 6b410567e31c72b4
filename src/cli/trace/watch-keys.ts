import type { StatusAnswer } from '../../api/contract.ts';

/** A task of the page that keys can do something about. */
export interface WatchedItem {
  readonly task: string;
  readonly title: string;
  readonly kind: 'running' | 'question' | 'review' | 'other';
  /** Names the entry of the attention queue, or the task. */
  readonly reference: string;
}

export type WatchAction =
  | { readonly kind: 'answer'; readonly reference: string; readonly answer: 'yes' | 'no' }
  | { readonly kind: 'approve'; readonly reference: string }
  | { readonly kind: 'stop'; readonly task: string };

/** The state of the page beside what it shows. */
export interface WatchState {
  /** The task that keys are about; null for none. */
  readonly selected: string | null;
  readonly isOpen: boolean;
  /** The key that must be pressed again, so that no agent is stopped and no work approved by a slip. */
  readonly unsure: string | null;
}

export const NOTHING_SELECTED: WatchState = { selected: null, isOpen: false, unsure: null };

/** In the order of the page: running, then what needs a person. */
export function watchedItems({ running, attention }: StatusAnswer): readonly WatchedItem[] {
  const working = running.map(({ id, title }): WatchedItem => ({ task: id, title, kind: 'running', reference: id }));
  const waiting = attention.items.flatMap(({ id, task, title, kind, actions }): readonly WatchedItem[] => {
    if (task === null) return [];
    const isQuestion = kind === 'question' || kind === 'budget';
    const isReview = actions.includes('approve');
    return [{ task, title, kind: isQuestion ? 'question' : isReview ? 'review' : 'other', reference: id }];
  });
  const asked = new Set(waiting.map(({ task }) => task));
  return [...working.filter(({ task }) => !asked.has(task)), ...waiting];
}

/** The selected item; null where it is gone or none is selected. */
function selectedOf(items: readonly WatchedItem[], { selected }: WatchState): WatchedItem | null {
  return items.find(({ task }) => task === selected) ?? null;
}

const DOWN: ReadonlySet<string> = new Set(['j', '\u001b[B', '\t']);
const UP: ReadonlySet<string> = new Set(['k', '\u001b[A']);

/** The page after a key, and what the key does. */
export function pressKey(
  state: WatchState,
  key: string,
  items: readonly WatchedItem[],
): { readonly state: WatchState; readonly deed: WatchAction | null } {
  const sure: WatchState = { ...state, unsure: null };
  if (DOWN.has(key)) return { state: moved(sure, items, 1), deed: null };
  if (UP.has(key)) return { state: moved(sure, items, -1), deed: null };
  if (key === '\u001b' || key === 'h') return { state: { ...sure, isOpen: false }, deed: null };
  const item = selectedOf(items, state);
  if (item === null) return { state: sure, deed: null };
  if (key === '\r' || key === '\n' || key === 'o') return { state: { ...sure, isOpen: !state.isOpen }, deed: null };
  const deed = actionOf(item, key);
  if (deed === null) return { state: sure, deed: null };
  if (deed.kind !== 'answer' && state.unsure !== key) return { state: { ...state, unsure: key }, deed: null };
  return { state: sure, deed };
}

function actionOf({ kind, reference, task }: WatchedItem, key: string): WatchAction | null {
  if (kind === 'question' && (key === 'y' || key === 'n')) {
    return { kind: 'answer', reference, answer: key === 'y' ? 'yes' : 'no' };
  }
  if (kind === 'review' && key === 'a') return { kind: 'approve', reference };
  return (kind === 'running' || kind === 'question') && key === 'x' ? { kind: 'stop', task } : null;
}

function moved(state: WatchState, items: readonly WatchedItem[], by: number): WatchState {
  const at = items.findIndex(({ task }) => task === state.selected);
  const next = at === -1 ? (by > 0 ? 0 : items.length - 1) : Math.max(0, Math.min(items.length - 1, at + by));
  return { ...state, selected: items[next]?.task ?? null };
}

/** The keys that do something now, in words. */
export function keysText(state: WatchState, items: readonly WatchedItem[]): string {
  const item = selectedOf(items, state);
  if (state.unsure !== null)
    return `${state.unsure} again to ${state.unsure === 'x' ? 'stop it' : 'approve it'} · any other key: no`;
  const own = item === null ? [] : ['Enter opens', ...OWN_KEYS[item.kind]];
  return [...(items.length > 0 ? ['j k move'] : []), ...own, 'q quits'].join(' · ');
}

const OWN_KEYS: Readonly<Record<WatchedItem['kind'], readonly string[]>> = {
  running: ['x stops'],
  question: ['y allows', 'n denies', 'x stops'],
  review: ['a approves'],
  other: [],
};
