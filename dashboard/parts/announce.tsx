import { signal } from '@preact/signals';

const spoken = signal('');

/** Tells people who do not see the page what just happened. */
export function announce(text: string): void {
  // The same sentence twice is news twice.
  spoken.value = spoken.peek() === text ? `${text} ` : text;
}

export function Announcer() {
  return (
    <div class="unseen" role="status" aria-live="polite">
      {spoken}
    </div>
  );
}
