import { useRef, useState } from 'preact/hooks';

interface Item {
  readonly id: string;
}

export interface CalmList<Value extends Item> {
  readonly shown: readonly { readonly item: Value; readonly isGone: boolean }[];
  /** New ones that wait until nobody looks at the list, or until they are asked for. */
  readonly held: number;
  showHeld(): void;
  /** To be spread over the element around the list. */
  readonly watch: {
    readonly onPointerEnter: () => void;
    readonly onPointerLeave: () => void;
  };
}

/**
 * A list that keeps its place while a pointer is over it: rows change in place, what is gone stays where it was, and what is
 * new is counted. Otherwise it is as it is.
 */
export function useCalmList<Value extends Item>(items: readonly Value[]): CalmList<Value> {
  const [isHeld, hold] = useState(false);
  const kept = useRef<readonly Value[]>(items);
  if (!isHeld) kept.current = items;
  const now = new Map(items.map((item) => [item.id, item]));
  const shown = kept.current.map((before) => {
    const item = now.get(before.id);
    return { item: item ?? before, isGone: item === undefined };
  });
  const known = new Set(kept.current.map(({ id }) => id));
  return {
    shown,
    held: items.filter(({ id }) => !known.has(id)).length,
    showHeld: () => {
      kept.current = items;
      hold(false);
    },
    watch: { onPointerEnter: () => hold(true), onPointerLeave: () => hold(false) },
  };
}
