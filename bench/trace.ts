// npm run bench -- trace [--events N] [--turns N] [--folder DIR]
// What watching agents costs: the speed of masking, the processor time that a node spends on storing a turn, and how long
// the turns of one run take to be read out of many events. Ends with 1 when a bound is broken.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { maskSecrets } from '../src/domain/secrets/mask-secrets.ts';
import { type Caller, makeCaller } from './node/caller.ts';
import { type Daemon, startDaemon } from './node/daemon.ts';
import { isBroken, type Judgement } from './report/judgement.ts';
import { median } from './report/median.ts';
import { boundTable } from './report/table.ts';

const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '10000000' },
    turns: { type: 'string', default: '500' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const EVENTS = Number(flags.events);
const TURNS = Number(flags.turns);
const ROUNDS = 15;
/** An agent that answers faster than this, turn after turn, is rare. */
const TURN_MS = 1_000;
const MEGABYTE = 1_000_000;

/** Lines of a build, none of which has a secret. */
function buildLog(): string {
  const lines = [
    '[ 42%] Building CXX object src/CMakeFiles/core.dir/ledger/commit-queue.cc.o',
    '  ✓ src/domain/money.test.ts (14 tests) 118ms',
    'npm warn deprecated inflight@1.0.6: This module is not supported, and leaks memory.',
    '2026-02-09T21:00:00.123Z INFO  http GET /v1/tasks/TASK-2026-02-09-057 200 3.1 ms',
    'remote: Compressing objects: 100% (1024/1024), done. 9fceb02d0ae598e95dc970b74767f19372d61af8',
  ];
  return Array.from({ length: 40_000 }, (_, at) => lines[at % lines.length]).join('\n');
}

/** Line by line, as output comes. In processor time, so that other programs do not count. */
function measureMasking(): Judgement {
  const lines = buildLog().split('\n');
  const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (const line of lines) maskSecrets(line);
    const { user, system } = process.cpuUsage(before);
    rates.push(bytes / MEGABYTE / ((user + system) / 1_000_000));
  }
  const what = `masking lines without a secret, median of ${ROUNDS}`;
  return { what, got: median(rates), bound: 50, sense: 'at least', unit: ' MB/s', weight: 'bound' };
}

function turnOf(taskId: string, turnIndex: number): string {
  const thought = `I look at file ${turnIndex} and compare it with the one before. `.repeat(8);
  const content = { thought, action: 'Bash: npm test', observation: 'ok 1 - adds\nok 2 - rounds\n'.repeat(20) };
  const timestamp = new Date().toISOString();
  const metadata = { version: '1.0.0', task_id: taskId, timestamp, confidence: 0.8, estimated_complexity: 'low' };
  return JSON.stringify({ turn_index: turnIndex, agent_id: 'developer', role: 'developer', content, metadata });
}

/** A task with a run that has sent its turns; the processor time of the node for each of them. */
async function storeTurns(daemon: Daemon, caller: Caller): Promise<{ readonly task: string; readonly cpuMs: number }> {
  const { id } = (await caller.post('/v1/tasks', { title: 'Many turns' })) as unknown as { readonly id: string };
  const claim = { agent: 'emma' };
  const { run } = (await caller.post(`/v1/tasks/${id}/claim`, claim)) as unknown as { readonly run: { id: string } };
  const send = (at: number) => sendTurn(daemon, run.id, turnOf(id, at));
  for (let at = 0; at < TURNS; at++) await send(at);
  const before = daemon.cpuMicros();
  for (let at = TURNS; at < TURNS * 2; at++) await send(at);
  return { task: id, cpuMs: (daemon.cpuMicros() - before) / 1_000 / TURNS };
}

async function sendTurn({ url, token }: Daemon, run: string, text: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'baton-run': run };
  const answer = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body: text });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Events of other tasks, half of them with a record of a trace, as a node that was busy for years has them. */
function fillLedger(file: string): void {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000');
  const { last } = db.prepare('SELECT max(seq) AS last FROM events').get() as { readonly last: number };
  const numbers = `WITH RECURSIVE n(i) AS (SELECT ${last} + 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${last} + ${EVENTS})`;
  const task = "'TASK-2020-01-01-' || printf('%06d', i / 1000)";
  db.exec(`${numbers} INSERT INTO events (seq, id, type, at, actor, task_id, payload, run_id)
    SELECT i, 'e' || i, 'turn.recorded', i, 'emma', ${task}, '{"turnIndex":' || (i % 1000) || '}', 'r' || (i / 1000) FROM n`);
  db.exec(`${numbers} INSERT INTO agent_logs (task_id, run_id, turn_index, envelope_json, at, seq, kind, place)
    SELECT ${task}, 'r' || (i / 1000), i % 1000, '{}', i, i, 'TURN', i % 1000 FROM n WHERE i % 2 = 0`);
  db.close();
}

async function measureReading(daemon: Daemon, task: string): Promise<Judgement> {
  const { url, token } = daemon;
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  const figures: number[] = [];
  let count = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = daemon.cpuMicros();
    const answer = await fetch(`${url}/v1/tasks/${task}/trace?type=TURN&limit=500`, { headers });
    const { entries } = (await answer.json()) as { readonly entries: readonly unknown[] };
    count = entries.length;
    figures.push((daemon.cpuMicros() - before) / 1_000);
  }
  const what = `${count} turns of one run out of ${EVENTS.toLocaleString('en')} events, processor time, median of ${ROUNDS}`;
  return { what, got: median(figures), bound: 50, sense: 'at most', unit: ' ms', weight: 'bound' };
}

const folder = mkdtempSync(join(flags.folder, 'baton-bench-trace-'));
try {
  const masking = measureMasking();
  let daemon = await startDaemon(join(folder, 'data'));
  const caller = makeCaller(daemon, 1);
  const { task, cpuMs } = await storeTurns(daemon, caller);
  caller.close();
  await daemon.stop();
  fillLedger(join(folder, 'data', 'ledger.sqlite'));
  daemon = await startDaemon(join(folder, 'data'));
  const reading = await measureReading(daemon, task);
  await daemon.stop();
  const what = `storing a turn takes ${cpuMs.toFixed(2)} ms of a processor: share of a run with a turn a second`;
  const got = (cpuMs / TURN_MS) * 100;
  const storing: Judgement = { what, got, bound: 5, sense: 'at most', unit: ' %', weight: 'bound' };
  const judgements = [masking, storing, reading];
  process.stdout.write(boundTable(judgements));
  if (judgements.some(isBroken)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
