import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { browser, NO_BROWSER } from '../../support/dashboard/dashboard-stage.ts';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { output, RunStage, taskFor } from '../../support/run-stage.ts';
import { completedText, invokedText, turnText } from '../../support/trace/saop-messages.ts';

const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)> "\' & \u202etxt\u001b[31m';

test('a trace is one page of HTML that loads nothing, and text of an agent in it is inert and masked', async () => {
  const data = new DataFolder(scratchFolder('trace-page'));
  const task = await data.newTask(`Title ${HOSTILE.slice(0, 25)}`);
  const { run } = await data.json<{ run: { id: string } }>('task', 'claim', task.id, '--agent', 'emma');
  const secret = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4xY7z'}`;
  const texts = [
    turnText(task.id, 0, { thought: HOSTILE, action: `use ${secret}` }),
    invokedText('c'),
    completedText('c'),
  ];
  for (const text of texts) {
    assert.equal((await data.run(['send', '-', '--run', run.id], { input: text })).status, 0);
  }
  const { stdout, status } = await data.run(['trace', task.id, '--html']);
  assert.equal(status, 0);
  assert.match(stdout, /^<!doctype html>\n[\s\S]*default-src 'none'[\s\S]*<\/body><\/html>\n$/);
  assert.match(stdout, /turn 1/);
  assert.match(stdout, /use \[REDACTED:github_token\]/);
  assert.match(stdout, /&lt;script&gt;alert\(1\)/);
  assert.ok(!/<script|<img|<a |https?:|\u001b|\u202e/.test(stdout));
  assert.equal((await data.run(['trace', task.id, '--html', '--json'])).status, 2);
});

test('the page begins with the verdict, what it cost, the checks and the changed files', async () => {
  const stage = await RunStage.alone('trace-page-head');
  const { root } = stage.repository();
  const order = taskFor('reports-cost', root, { task: { expected_outputs: [output('missing.txt')] } });
  const { own } = await stage.run(order);
  const { stdout } = await stage.data.run(['trace', own.task, '--html']);
  const [head = '', story = ''] = stdout.split('<h2>Story</h2>');
  assert.match(head, /<strong class="bad">✗ failed<\/strong>: .*missing\.txt/);
  assert.match(head, /<dt>agent<\/dt><dd>reports-cost<\/dd>/);
  assert.match(head, /<dt>cost<\/dt><dd>\$\d/);
  assert.match(head, /<h2>Checks<\/h2><ul><li><span class="bad">✗<\/span> <code>.*missing\.txt/);
  assert.match(story, /<h2>Attempt 1: reports-cost /);
});

test('the page opens from disk in a browser, asks for nothing else and runs no script', {
  skip: NO_BROWSER,
}, async () => {
  const folder = scratchFolder('trace-page-browser');
  const data = new DataFolder(folder);
  const task = await data.newTask(`Title ${HOSTILE}`);
  const { run } = await data.json<{ run: { id: string } }>('task', 'claim', task.id, '--agent', 'emma');
  const turn = turnText(task.id, 0, { thought: HOSTILE, action: HOSTILE, observation: HOSTILE });
  assert.equal((await data.run(['send', '-', '--run', run.id], { input: turn })).status, 0);
  const file = join(folder, '..', 'trace.html');
  writeFileSync(file, (await data.run(['trace', task.id, '--html'])).stdout);
  const page = await (await browser()).newPage();
  const noticed: string[] = [];
  page.on('request', (request) => noticed.push(request.url()));
  page.on('console', (message) => noticed.push(message.text()));
  page.on('pageerror', (error) => noticed.push(String(error)));
  page.on('dialog', (dialog) => noticed.push(dialog.message()));
  const { href } = pathToFileURL(file);
  await page.goto(href);
  await page.getByText('turn 1').waitFor();
  assert.equal(await page.locator('script, img, a, iframe').count(), 0);
  assert.deepEqual(noticed, [href]);
});
