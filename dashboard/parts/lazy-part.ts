import type { ComponentType } from 'preact';
import { lazy } from 'preact/compat';

const TRY_AGAIN_MS = 1_000;

/**
 * A part of the dashboard whose code is loaded when it is first shown. A browser does not load code again that it once failed to
 * load, so the page is loaded anew when the node can be reached again.
 */
export function lazyPart<Props>(load: () => Promise<{ readonly default: ComponentType<Props> }>) {
  return lazy(() => load().catch(loadPageAnew));
}

async function loadPageAnew(): Promise<never> {
  while (!(await isReachable())) await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
  location.reload();
  return await new Promise(() => undefined);
}

async function isReachable(): Promise<boolean> {
  try {
    return (await fetch('/', { cache: 'no-store' })).ok;
  } catch {
    // The node is away.
    return false;
  }
}
