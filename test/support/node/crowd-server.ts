import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { HTTP_HEADERS_MS_MAX, HTTP_UNAUTHENTICATED_CONNECTIONS_MAX } from '../../../src/domain/http-limits.ts';
import { taken } from '../taken.ts';
import { TestDaemon } from '../test-daemon.ts';

export type CrowdManner = 'silent' | 'slow-headers' | 'slow-body';

export interface Crowd {
  readonly sockets: number;
  readonly manner: CrowdManner;
  /** Until the node has shown every one of them out by itself. */
  readonly untilGone: boolean;
}

export interface Crowded {
  readonly answers: number;
  readonly slowestMs: number;
  readonly rssMibGrown: number;
  readonly filesMax: number;
  readonly goneMs: number | null;
}

const PROGRAM = fileURLToPath(new URL('../../fixtures/crowds-a-server.mjs', import.meta.url));
/** Files of a node that nobody talks to, and some for those who do. */
const OWN_FILES = 100;
const RSS_MIB_GROWN_MAX = 192;

/** A node whose server is crowded by connections without a token, while one with it goes on asking. */
export async function crowdServer(folder: string, { sockets, manner, untilGone }: Crowd): Promise<Crowded> {
  const daemon = await TestDaemon.start(folder);
  const pid = daemon.child.pid ?? 0;
  const { client } = daemon;
  await client.createTask({ title: 'Before' });
  const before = rssMibOf(pid);
  const startMs = performance.now();
  const crowd = spawnCrowd(Number(new URL(daemon.facts.url).port), sockets, manner);
  let [answers, slowestMs, filesMax, rssMib] = [0, 0, 0, before];
  const ask = async () => {
    const askedMs = performance.now();
    assert.deepEqual(taken(await client.status()).counts, { backlog: 1 });
    answers++;
    slowestMs = Math.max(slowestMs, performance.now() - askedMs);
    filesMax = Math.max(filesMax, readdirSync(`/proc/${pid}/fd`).length);
    rssMib = Math.max(rssMib, rssMibOf(pid));
  };
  while (!crowd.isOpen()) await ask();
  while (untilGone && !crowd.isGone() && performance.now() - startMs < 60_000) await ask();
  const goneMs = crowd.isGone() ? performance.now() - startMs : null;
  await ask();
  await crowd.end();
  assert.ok(filesMax <= HTTP_UNAUTHENTICATED_CONNECTIONS_MAX + OWN_FILES, `${filesMax} files`);
  assert.ok(rssMib - before < RSS_MIB_GROWN_MAX, `${before} MiB grew to ${rssMib}`);
  assert.equal(goneMs === null, !untilGone, `some of ${sockets} were never shown out`);
  assert.ok(goneMs === null || goneMs < 5 * HTTP_HEADERS_MS_MAX, `${goneMs} ms`);
  assert.equal((await daemon.end()).status, 0);
  return { answers, slowestMs, rssMibGrown: rssMib - before, filesMax, goneMs };
}

/** A shell gives it as many files as the machine allows: it needs one a connection. */
function spawnCrowd(port: number, sockets: number, manner: CrowdManner) {
  const args = ['-c', 'ulimit -n "$(ulimit -H -n)"; exec "$@"', 'sh', process.execPath, PROGRAM];
  const child = spawn('/bin/sh', [...args, String(port), String(sockets), manner], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return {
    isOpen: () => text.includes('"opened"') || child.exitCode !== null,
    isGone: () => text.includes('{"held":0}'),
    end: async () => {
      child.kill('SIGKILL');
      await ended;
      assert.ok(text.includes(`"opened":${sockets}`), `the crowd did not come: ${text}`);
    },
  };
}

function rssMibOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}
