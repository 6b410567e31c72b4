import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { BATON } from '../../support/run-baton.ts';
import { noTerminal, TerminalRun } from '../../support/terminal-run.ts';

test('watch prints the state again when it changed, and Ctrl-C ends it', { timeout: 60_000 }, async () => {
  const data = new DataFolder(scratchFolder('watch'));
  await data.newTask('First');
  const watching = spawn(BATON, ['watch', '--json', '--data', data.path]);
  const lines = createInterface({ input: watching.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value as string);
  const before = await next();
  assert.equal(before.status.counts.backlog, 1);
  assert.equal(before.events.at(-1).payload.title, 'First');
  await data.newTask('Second');
  assert.equal((await next()).status.counts.backlog, 2);
  watching.kill('SIGINT');
  assert.deepEqual(await once(watching, 'exit'), [0, null]);
});

test('watch is a page for people in a pipe, without colours', { timeout: 60_000 }, async () => {
  const data = new DataFolder(scratchFolder('watch-page'));
  await data.newTask('Only');
  const watching = spawn(BATON, ['watch', '--data', data.path]);
  const [page] = await once(watching.stdout.setEncoding('utf8'), 'data');
  assert.match(page, /Only/);
  assert.match(page, /Lately\n.*created it: Only/);
  assert.ok(!page.includes('\u001b'));
  watching.kill('SIGINT');
  assert.deepEqual(await once(watching, 'exit'), [0, null]);
});

test('at a terminal, keys select a task, open it, and approve its work', {
  timeout: 120_000,
  skip: noTerminal,
}, async () => {
  const data = new DataFolder(scratchFolder('watch-keys'));
  const { id } = await data.newTask('Look at me');
  for (const words of [
    ['claim', id, '--agent', 'emma'],
    ['move', id, 'review'],
  ])
    assert.equal((await data.run(['task', ...words])).status, 0);
  const watching = new TerminalRun(['watch', '--data', data.path], {
    through: ['sh', '-c', 'stty rows 30 cols 100; exec "$@"', 'sh'],
  });
  await watching.shows(/j k move · q quits/);
  watching.type('j');
  await watching.shows(new RegExp(`> .*${id}`));
  await watching.shows(/Enter opens · a approves · q quits/);
  watching.type('\r');
  await watching.shows(/emma {2}abandoned/);
  watching.type('a');
  await watching.shows(/a again to approve it/);
  watching.type('a');
  await watching.shows(new RegExp(`approved ${id}`));
  watching.type('q');
  assert.equal(await watching.ended, 0);
  assert.equal((await data.json<{ status: string }>('task', 'show', id)).status, 'done');
});
