import { signal } from '@preact/signals';

/** The difference of the node's clock to this browser's, so that ages are right on any machine. */
let aheadMs = 0;

/** The node's time in milliseconds since 1970, once a second. */
export const now = signal(Date.now());

export function setNodeTime(at: string): void {
  aheadMs = Date.parse(at) - Date.now();
  now.value = Date.now() + aheadMs;
}

setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now() + aheadMs;
}, 1_000);
