import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks';

interface VirtualListProps<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  readonly row: (item: Item, at: number) => ComponentChildren;
  /** Pixels of a row before it was measured. */
  readonly estimate: number;
  /** Readers of the screen hear this name. */
  readonly label: string;
  /** New rows at the end are scrolled to while the end is in sight. */
  readonly followsEnd?: boolean;
  /** The row to show; scrolled to whenever it changes. */
  readonly shown?: string | number | null;
  readonly class?: string;
}

/** Pixels from the end within which the end counts as in sight. */
const END_NEAR = 60;

/** A list of any length, of which the rows in sight are on the page. It keeps its place when rows come before them. */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { items, keyOf, row, label, followsEnd = false, shown = null, class: name = '' } = props;
  const scroller = useRef<HTMLElement>(null);
  const isAtEnd = useRef(followsEnd);
  const virtualizer = useVirtualizer(props, scroller);
  useKeptPlace(virtualizer, items, keyOf);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (followsEnd && isAtEnd.current && box) box.scrollTop = box.scrollHeight;
  });
  useLayoutEffect(() => {
    const at = shown === null ? -1 : items.findIndex((item) => keyOf(item) === shown);
    if (at >= 0) virtualizer.scrollToIndex(at, { align: 'center' });
    if (at >= 0) isAtEnd.current = false;
  }, [shown, shown !== null && items.length > 0]);
  return (
    <section
      ref={scroller}
      class={`virtual ${name}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
      tabIndex={0}
      aria-label={label}
      onScroll={({ currentTarget: box }) => {
        isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < END_NEAR;
      }}
    >
      <ol class="virtual-rows" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index];
          return item === undefined ? null : (
            <li
              key={key}
              data-index={index}
              ref={(element) => virtualizer.measureElement(element)}
              style={{ transform: `translateY(${start}px)` }}
            >
              {row(item, index)}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

type List = Virtualizer<HTMLElement, Element>;

function useVirtualizer<Item>(
  { items, keyOf, estimate }: VirtualListProps<Item>,
  scroller: { readonly current: HTMLElement | null },
): List {
  const [, render] = useReducer((times: number) => times + 1, 0);
  const options: VirtualizerOptions<HTMLElement, Element> = {
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimate,
    getItemKey: (at) => (items[at] === undefined ? at : keyOf(items[at] as Item)),
    overscan: 6,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => render(0),
  };
  const virtualizer = useMemo(() => new Virtualizer(options), []);
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useEffect(() => render(0), []);
  return virtualizer;
}

/** Rows that come in front move the others down; the one on top stays where it is. */
function useKeptPlace<Item>(virtualizer: List, items: readonly Item[], keyOf: (item: Item) => string | number): void {
  const first = items.length === 0 ? null : keyOf(items[0] as Item);
  const before = useRef(first);
  useLayoutEffect(() => {
    if (before.current !== null && first !== before.current) {
      const moved = items.findIndex((item) => keyOf(item) === before.current);
      if (moved > 0) virtualizer.scrollToIndex(moved, { align: 'start' });
    }
    before.current = first;
  }, [first]);
}
