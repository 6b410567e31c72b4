import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { EventView } from '../../src/api/contract.ts';
import { onBack, onEvents } from './live-events.ts';

/** Something of the node that a page shows and that is read again when an event says that it changed. */
export interface Resource<Value> {
  /** The last answer; null before the first. */
  readonly value: Signal<Value | null>;
  /** The error of the last try, if it failed. */
  readonly error: Signal<unknown>;
  refresh(): Promise<void>;
}

/** Reads at most so often, however many events come. */
const REFRESH_MS_MIN = 400;

/** Several calls in a short time become one more read after the one under way. */
export function makeResource<Value>(load: () => Promise<Value>): Resource<Value> {
  const value = signal<Value | null>(null);
  const error = signal<unknown>(null);
  let running: Promise<void> | null = null;
  let isWanted = false;
  const once = async () => {
    try {
      value.value = await load();
      error.value = null;
    } catch (thrown) {
      error.value = thrown;
    }
  };
  const loop = async () => {
    do {
      isWanted = false;
      const startedMs = performance.now();
      await once();
      const restMs = REFRESH_MS_MIN - (performance.now() - startedMs);
      if (isWanted && restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    } while (isWanted);
    running = null;
  };
  const refresh = () => {
    isWanted = true;
    running ??= loop();
    return running;
  };
  return { value, error, refresh };
}

/** A resource of a component: read at first, when `key` changes, and when an event concerns it. */
export function useResource<Value>(
  key: string,
  load: () => Promise<Value>,
  concerns: (event: EventView) => boolean = () => false,
): Resource<Value> {
  const resource = useMemo(() => makeResource(load), [key]);
  useEffect(() => {
    void resource.refresh();
    const stopEvents = onEvents((events) => {
      if (events.some(concerns)) void resource.refresh();
    });
    const stopBack = onBack(() => void resource.refresh());
    return () => {
      stopEvents();
      stopBack();
    };
  }, [resource]);
  return resource;
}
