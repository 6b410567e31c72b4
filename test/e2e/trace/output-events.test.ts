import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { linesOf } from '../../support/run-baton.ts';
import { RunStage, taskFor } from '../../support/run-stage.ts';

interface Message {
  readonly event_id?: string;
  readonly turn_index?: number;
  readonly payload?: { readonly type: string; readonly line: string; readonly masked: boolean };
}

interface Announced {
  readonly type: string;
  readonly payload: { readonly kind?: string; readonly message?: Message; readonly messages?: readonly Message[] };
}

const SECRET = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4xY7z'}`;
const stage = await RunStage.alone('output-events');

async function printed(objective: string): Promise<string> {
  const { root } = stage.repository();
  return (await stage.run(taskFor('prints-lines', root, { task: { objective } }))).own.task;
}

async function traceOf(task: string, ...flags: string[]): Promise<Message[]> {
  return linesOf<Message>(await stage.data.run(['trace', task, '--json', ...flags]));
}

describe('each line of output of an agent', () => {
  const begun = printed(['one', '', `key ${SECRET}`, 'two', '\u001b[31mred <b>', 'last'].join('\n'));

  test('is a SANDBOX_PULSE in the order of the trace, masked before it is stored', async () => {
    const task = await begun;
    const messages = await traceOf(task);
    const told = messages.flatMap(({ turn_index: index, payload }) =>
      index !== undefined ? ['turn'] : payload?.type === 'SANDBOX_PULSE' ? [`${payload.line} ${payload.masked}`] : [],
    );
    assert.deepEqual(told, [
      'one false',
      'key [REDACTED:github_token] true',
      'turn',
      'two false',
      '\u001b[31mred <b> false',
      'last false',
    ]);
    const ids = messages.flatMap(({ event_id: id }) => (id === undefined ? [] : [id]));
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(await traceOf(task), messages, 'the same again, with the same ids');
    const file = join(stage.folder, 'trace.ndjson');
    writeFileSync(file, messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    assert.equal((await stage.data.run(['check', file, '--as', 'saop'])).status, 0);
    const database = new DatabaseSync(join(stage.data.path, 'ledger.sqlite'), { readOnly: true });
    const stored = database
      .prepare('SELECT envelope_json, shown, event_id FROM agent_logs WHERE task_id = ?')
      .all(task);
    database.close();
    assert.ok(!JSON.stringify(stored).includes(SECRET.slice(4, 20)));
  });

  test('is in the one log of events with the same id, and a page of HTML has the lines as text', async () => {
    const task = await begun;
    const pulses = (await traceOf(task, '--type', 'SANDBOX_PULSE')).map(({ event_id: id }) => id);
    const events = linesOf<Announced>(await stage.data.run(['events', '--task', task, '--json']));
    const announced = events
      .filter(({ payload }) => payload.kind === 'SANDBOX_PULSE')
      .flatMap(({ payload }) => payload.messages ?? (payload.message ? [payload.message] : []));
    assert.deepEqual(
      announced.map(({ event_id: id }) => id),
      pulses,
    );
    const { stdout } = await stage.data.run(['trace', task, '--html']);
    assert.match(stdout, /<time [^>]*>0:00<\/time><div><pre>one\nkey \[REDACTED:github_token\]\n<\/pre>/);
    assert.match(stdout, /two\nred &lt;b&gt;\nlast\n<\/pre><\/div><\/article>/);
  });
});

test('50,000 lines of a run are 50,000 events, few rows, and pages of any size', { timeout: 300_000 }, async () => {
  const task = await printed('50000 x row');
  const lines = (await traceOf(task, '--type', 'SANDBOX_PULSE')).map(({ payload }) => payload?.line);
  assert.deepEqual(
    lines,
    Array.from({ length: 50_000 }, (_, at) => `row ${at}`),
  );
  const database = new DatabaseSync(join(stage.data.path, 'ledger.sqlite'), { readOnly: true });
  const rows = database.prepare("SELECT count(*) AS n FROM agent_logs WHERE task_id = ? AND kind = 'SANDBOX_PULSE'");
  const { n } = rows.get(task) as { n: number };
  database.close();
  assert.ok(n >= 100 && n <= 1_000, String(n));
});
