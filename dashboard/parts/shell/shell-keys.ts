import { goTo } from '../route.ts';
import { moveRow, pressInRow } from '../rows.tsx';
import { useKeys } from './keys.ts';

const PAGES = { h: '/', b: '/board', s: '/sessions', a: '/agents', n: '/nodes', e: '/events' } as const;
const NAMES = { h: 'Home', b: 'Board', s: 'Sessions', a: 'Agents', n: 'Nodes', e: 'Events' } as const;

/** The keys that work on every page. */
export function useShellKeys({
  onHelp,
  onSearch,
}: {
  readonly onHelp: () => void;
  readonly onSearch: () => void;
}): void {
  useKeys([
    { keys: '?', does: 'these keys', run: onHelp },
    { keys: '/', does: 'search', run: onSearch },
    { keys: 'j', does: 'next row', run: () => moveRow(1) },
    { keys: 'k', does: 'row before', run: () => moveRow(-1) },
    { keys: 'Enter', does: 'open the row', run: () => pressInRow('Enter') },
    { keys: 'a', does: 'apply or approve', run: () => pressInRow('a') },
    { keys: 'r', does: 'send back', run: () => pressInRow('r') },
    { keys: 'd', does: 'diff', run: () => pressInRow('d') },
    { keys: 's', does: 'say', run: () => pressInRow('s') },
    { keys: 'x', does: 'stop', run: () => pressInRow('x') },
    { keys: 'n', does: 'new task', run: () => goTo('/new') },
    ...Object.entries(PAGES).map(([key, page]) => ({
      keys: `g ${key}`,
      does: NAMES[key as keyof typeof NAMES],
      run: () => goTo(page),
    })),
    { keys: 'Escape', does: 'back', run: () => history.back() },
  ]);
}
