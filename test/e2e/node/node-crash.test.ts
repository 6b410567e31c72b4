import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isSameProcess, processStart } from '../../../src/platform/process/process-start.ts';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { TestDaemon } from '../../support/test-daemon.ts';

const scratch = scratchFolder('node-crash');
const BUG = fileURLToPath(new URL('../../fixtures/throws-when-told.mjs', import.meta.url));

interface Line {
  readonly at: string;
  readonly event: string;
  readonly message?: string;
  readonly cause?: string;
  readonly where?: string;
}

const CRASHES = [
  { name: 'a bug that nobody caught', signal: 'SIGUSR2', message: 'a bug,\nin two lines' },
  { name: 'a promise that nobody waits for', signal: 'SIGPWR', message: 'a promise nobody waits for' },
] as const;

for (const { name, signal, message } of CRASHES) {
  test(`${name} ends a node in the background with one line of its log, and the next takes its place`, async () => {
    const data = new DataFolder(join(scratch, signal));
    const environment = { NODE_OPTIONS: `--import=${BUG}` };
    const up = await data.run(['up', '-d', '--json'], { environment });
    const { pid } = JSON.parse(up.stdout) as { pid: number };
    const start = processStart(pid) ?? '';
    const made = await data.newTask('Kept');
    process.kill(pid, signal);
    while (isSameProcess(pid, start)) await new Promise((resolve) => setImmediate(resolve));
    const lines = data.read('node.log').trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line) as Line);
    assert.deepEqual(
      events.map(({ event }) => event),
      ['node.started', 'node.crashed'],
    );
    assert.equal(events[1]?.message, message);
    assert.match(events[1]?.where ?? '', /throws-when-told/);
    assert.equal(data.has('node.json'), false);
    assert.equal((await data.json<{ id: string }>('task', 'show', '1')).id, made.id);
  });
}

test('in a terminal it ends with 1, and its log is one event a line too', async () => {
  process.env['NODE_OPTIONS'] = `--import=${BUG}`;
  const daemon = await TestDaemon.start(join(scratch, 'terminal'));
  delete process.env['NODE_OPTIONS'];
  assert.deepEqual(await daemon.end('SIGUSR2'), { status: 1, signal: null });
  assert.deepEqual(daemon.events, ['node.started', 'node.crashed']);
});
