import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { announce } from './announce.tsx';
import { goTo } from './route.ts';

type RowKeys = Readonly<Partial<Record<'a' | 'r' | 'd' | 's' | 'x', () => void>>>;

const keysOfRows = new Map<string, { readonly href: string | null; readonly keys: RowKeys }>();

interface RowProps {
  readonly id: string;
  /** Enter goes there. */
  readonly href?: string;
  readonly keys?: RowKeys;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A row that j and k move to. Its keys do what its buttons do. */
export function Row({ id, href, keys = {}, children, class: name = '' }: RowProps) {
  useEffect(() => {
    keysOfRows.set(id, { href: href ?? null, keys });
    return () => {
      keysOfRows.delete(id);
    };
  });
  return (
    <li class={`row ${name}`} data-row={id} tabIndex={-1}>
      {children}
    </li>
  );
}

/** Moves to the next row or the one before. */
export function moveRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at === -1 ? (by === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Does what a key does in the row that has the focus. */
export function pressInRow(key: keyof RowKeys | 'Enter'): void {
  const id = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row;
  const row = id === undefined ? undefined : keysOfRows.get(id);
  if (!row) announce('choose a row with j and k first');
  else if (key !== 'Enter') row.keys[key]?.();
  else if (row.href !== null) goTo(row.href);
}
