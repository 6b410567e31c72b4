import type { AgentSignal } from '../../agents/agent-driver.ts';
import { RUN_PROGRESS_SHOWN_MS } from '../../domain/limits.ts';
import type { Clock } from '../../platform/clock.ts';

type Show = (progress: { readonly percentage: number; readonly text: string }) => void;

/**
 * How far a run is, for whoever looks at it here. AOP's own PROGRESS_UPDATE goes out much more rarely; a person who waits
 * wants to see it move.
 */
export function showProgress(clock: Clock, show: Show): (signal: AgentSignal) => void {
  let shownAt = Number.NEGATIVE_INFINITY;
  let shown = -1;
  return (signal) => {
    const progress = progressIn(signal);
    if (progress === null || progress.percentage === shown) return;
    const now = clock.now().monotonicMs;
    if (now - shownAt < RUN_PROGRESS_SHOWN_MS && progress.percentage < 100) return;
    shownAt = now;
    shown = progress.percentage;
    show(progress);
  };
}

function progressIn(signal: AgentSignal): { readonly percentage: number; readonly text: string } | null {
  if (signal.kind !== 'event') return null;
  const { event } = signal;
  if (event.event === 'PROGRESS_UPDATE') {
    return { percentage: event.progress.percentage, text: event.progress.message ?? '' };
  }
  if (event.event !== 'HEARTBEAT' || typeof event.progress_percentage !== 'number') return null;
  return { percentage: event.progress_percentage, text: event.current_phase ?? '' };
}
