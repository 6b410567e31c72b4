import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Judgement } from '../report/judgement.ts';
import { type Caller, makeCaller } from './caller.ts';
import { type Daemon, startDaemon } from './daemon.ts';

const READERS = 100;
const EVENTS_PER_SECOND = 2_000;
const SECONDS = 5;
const TURN_MS = 5;
const CONNECTIONS = 64;
const P99_MS_MAX = 50;

interface Delays {
  readonly pieces: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** How long after its commit an event reaches each of many readers, while others make events at a steady rate. */
export async function measureEvents(folder: string): Promise<readonly Judgement[]> {
  const daemon = await startDaemon(join(folder, 'events', 'data'));
  try {
    const caller = makeCaller(daemon, CONNECTIONS);
    await makeEvents(caller, 1);
    const readers = openReaders(daemon);
    await readers.ready;
    const rate = await makeEvents(caller, SECONDS);
    const delays = await readers.close();
    caller.close();
    return judge(rate, delays);
  } finally {
    await daemon.stop();
  }
}

function judge(rate: number, { p50Ms, p99Ms, maxMs, pieces }: Delays): readonly Judgement[] {
  const atRate = `${READERS} readers, ${Math.round(rate)} events/s`;
  const about = `an event reaches them, p99 (p50 ${p50Ms} ms, longest ${maxMs} ms, ${pieces} pieces)`;
  return [
    { what: `${atRate}: ${about}`, got: p99Ms, bound: P99_MS_MAX, sense: 'at most', unit: ' ms', weight: 'bound' },
    {
      what: 'events a second while they read',
      got: rate,
      bound: EVENTS_PER_SECOND * 0.95,
      sense: 'at least',
      unit: '',
      weight: 'aim',
    },
  ];
}

/** Says how many a second it came to. */
async function makeEvents(caller: Caller, seconds: number): Promise<number> {
  const startMs = performance.now();
  const pending = new Set<Promise<unknown>>();
  let made = 0;
  for (let elapsedMs = 0; elapsedMs < seconds * 1_000; elapsedMs = performance.now() - startMs) {
    for (const due = (elapsedMs / 1_000) * EVENTS_PER_SECOND; made < due; made++) {
      const call = caller.post('/v1/tasks', { title: 'An event' }).finally(() => pending.delete(call));
      pending.add(call);
    }
    await sleep(TURN_MS);
  }
  await Promise.all(pending);
  return made / ((performance.now() - startMs) / 1_000);
}

function openReaders({ url, token }: Daemon) {
  const program = fileURLToPath(new URL('./read-events.ts', import.meta.url));
  const child = spawn(process.execPath, [program, url, String(READERS)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ready = once(child.stdout, 'data');
  child.stdin.write(`${token}\n`);
  const close = async (): Promise<Delays> => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    child.stdin.end();
    await once(child, 'close');
    return JSON.parse(text) as Delays;
  };
  return { ready, close };
}
