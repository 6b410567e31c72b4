import { signal } from '@preact/signals';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { EventView } from '../../src/api/contract.ts';
import { authorization, closeAccess } from './access.ts';
import { isErrorBody, NodeError } from './node-error.ts';
import { routeOf } from './page-calls.ts';
import { readSafeJson } from './safe-json.ts';

/** `since` is when the connection got this way, in milliseconds since 1970. */
export interface Connection {
  readonly kind: 'connecting' | 'live' | 'lost';
  readonly since: number;
}

export const connection = signal<Connection>({ kind: 'connecting', since: Date.now() });
/** Counts the times that the log was replaced: everything shown is to be read again. */
export const logReplaced = signal(0);

type Listener = (events: readonly EventView[]) => void;

const listeners = new Set<Listener>();
/** New events reach the page together, at most so often. */
const FLUSH_MS = 100;
/** The node sends a beat every 15 s. */
const SILENT_MS_MAX = 40_000;
const RETRY_MS = 500;
const RETRY_MS_MAX = 5_000;
/** A tab that nobody looks at lets go of its connection: a browser has six for all tabs of a node. */
const HIDDEN_MS_MAX = 60_000;

let cursor = 0;
let project = '';
let waiting: EventView[] = [];
let stopping: AbortController | null = null;
let flushTimer = 0;

/** Calls with new events, in order and each once; returns a function that ends it. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Calls when something that failed to be read may be there again; returns a function that ends it. */
export function onBack(again: () => void): () => void {
  let before = connection.value.kind;
  const stopLive = connection.subscribe(({ kind }) => {
    if (kind === 'live' && before !== 'live') again();
    before = kind;
  });
  const replacedBefore = logReplaced.value;
  const stopReplaced = logReplaced.subscribe((times) => {
    if (times > replacedBefore) again();
  });
  return () => {
    stopLive();
    stopReplaced();
  };
}

/** Follows the log from an event on. */
export function followFrom(place: { readonly lastEvent: number; readonly project: string }): void {
  if (stopping) return;
  cursor = place.lastEvent;
  project = place.project;
  document.addEventListener('visibilitychange', onVisibility);
  void keepFollowing();
}

let hiddenTimer = 0;
let wake: (() => void) | null = null;

function onVisibility(): void {
  clearTimeout(hiddenTimer);
  if (document.visibilityState === 'visible') wake?.();
  else hiddenTimer = window.setTimeout(() => stopping?.abort('hidden'), HIDDEN_MS_MAX);
}

async function keepFollowing(): Promise<void> {
  let pauseMs = RETRY_MS;
  for (;;) {
    stopping = new AbortController();
    const wasLive = await followOnce(stopping);
    if (stopping.signal.reason === 'hidden') {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      wake = null;
      pauseMs = 0;
    } else setConnection('lost');
    if (wasLive) pauseMs = RETRY_MS;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(RETRY_MS_MAX, Math.max(RETRY_MS, pauseMs * 2));
  }
}

/** One connection, to its end; resolves with whether it ever was one. */
async function followOnce(stop: AbortController): Promise<boolean> {
  let isLive = false;
  let silence = 0;
  const heard = () => {
    clearTimeout(silence);
    silence = window.setTimeout(() => stop.abort('silent'), SILENT_MS_MAX);
  };
  try {
    heard();
    const query = new URLSearchParams({ after: String(cursor), project });
    const headers = { accept: 'text/event-stream', 'last-event-id': String(cursor), ...authorization() };
    const response = await fetch(`${routeOf('follow').path}?${query}`, {
      headers,
      signal: stop.signal,
      cache: 'no-store',
    });
    if (!response.ok || !response.body) {
      await refuseAccess(response);
      return false;
    }
    const parser = createParser({ onEvent: take, onComment: () => {} });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return isLive;
      if (!isLive) {
        isLive = true;
        setConnection('live');
      }
      heard();
      parser.feed(value);
    }
  } catch {
    // The connection broke, or this page ended it.
    return isLive;
  } finally {
    clearTimeout(silence);
  }
}

async function refuseAccess(response: Response): Promise<void> {
  const body = readSafeJson(await response.text());
  if (isErrorBody(body) && body.error.code === 'unauthenticated') closeAccess(new NodeError(response.status, body));
}

function take({ event, data }: EventSourceMessage): void {
  if (event === 'stale_cursor') {
    const { last, project: now } = JSON.parse(data) as { last: number; project: string };
    cursor = last;
    project = now;
    logReplaced.value++;
    return;
  }
  const view = readSafeJson(data) as EventView;
  if (view.eventId <= cursor) return;
  cursor = view.eventId;
  waiting.push(view);
  if (flushTimer === 0) flushTimer = window.setTimeout(flush, FLUSH_MS);
}

function flush(): void {
  flushTimer = 0;
  const events = waiting;
  waiting = [];
  for (const listener of [...listeners]) listener(events);
}

function setConnection(kind: Connection['kind']): void {
  if (connection.value.kind !== kind) connection.value = { kind, since: Date.now() };
}
