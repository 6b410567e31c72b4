import { overview } from '../../node/overview.ts';
import { path } from '../route.ts';

const PAGES = [
  { href: '/', name: 'Home' },
  { href: '/board', name: 'Board' },
  { href: '/sessions', name: 'Sessions' },
  { href: '/agents', name: 'Agents' },
  { href: '/nodes', name: 'Nodes' },
  { href: '/events', name: 'Events' },
];

export function NavBar({ onHelp }: { readonly onHelp: () => void }) {
  const needed = overview.value.value?.totals.needsYou ?? 0;
  return (
    <nav class="bottom" aria-label="Pages">
      {PAGES.map(({ href, name }) => (
        <a key={href} href={href} aria-current={isAt(href) ? 'page' : undefined}>
          {name}
          {href === '/' && needed > 0 && <span class="count needs">{needed}</span>}
        </a>
      ))}
      <span class="space" />
      <button type="button" class="button plain small keys" onClick={onHelp}>
        <kbd>?</kbd> keys
      </button>
    </nav>
  );
}

function isAt(href: string): boolean {
  return href === '/' ? path.value === '/' : path.value === href || path.value.startsWith(`${href}/`);
}
