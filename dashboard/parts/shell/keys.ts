import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** A key, what it does in a word or two, and where it works. */
export interface KeyBinding {
  /** One character, a name such as Enter, or two keys in a row such as `g b`. */
  readonly keys: string;
  readonly does: string;
  run(): void;
}

/** The bindings that work now, the innermost last. */
export const bindings = signal<readonly (readonly KeyBinding[])[]>([]);

/** Keys of a component, while it is on the page. A binding replaces an outer one of the same key. */
export function useKeys(given: readonly KeyBinding[]): void {
  useEffect(() => {
    bindings.value = [...bindings.peek(), given];
    return () => {
      bindings.value = bindings.peek().filter((each) => each !== given);
    };
  });
}

let prefix = '';
let prefixTimer = 0;

/** Listens for the keys of all components. Keys that are typed into a field, or into a dialog, are text. */
export function listenForKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.isComposing) return;
    if (isTyping(event.target) && event.key !== 'Escape') return;
    if (document.querySelector('dialog[open]') && event.key !== '?') return;
    const pressed = prefix === '' ? event.key : `${prefix} ${event.key}`;
    const all = bindings.value.toReversed().flat();
    const found = all.find(({ keys }) => keys === pressed);
    setPrefix(!found && all.some(({ keys }) => keys.startsWith(`${event.key} `)) ? event.key : '');
    if (!found || (event.key === 'Enter' && isControl(event.target))) return;
    event.preventDefault();
    found.run();
  });
}

function setPrefix(key: string): void {
  clearTimeout(prefixTimer);
  prefix = key;
  if (key !== '') prefixTimer = window.setTimeout(() => setPrefix(''), 1_000);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable);
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('a, button, summary');
}
