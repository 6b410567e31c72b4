import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { StatusAnswer } from '../../../src/api/contract.ts';
import type { TaskView } from '../../../src/api/task/task-view.ts';
import { scratchFolder } from '../../support/data-folder.ts';
import { RunStage, until } from '../../support/run-stage.ts';
import { noTerminal, TerminalRun } from '../../support/terminal-run.ts';

const BELL = '\u0007';
const SECRET = 'a shared secret';
const folder = scratchFolder('notices');
const secretFile = join(folder, 'secret');
writeFileSync(secretFile, `${SECRET}\n`);

interface Posted {
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

interface Listener {
  readonly url: string;
  readonly posted: Posted[];
}

/** A server that answers with a status, or never (null). */
async function listen(status: number | null): Promise<Listener> {
  const posted: Posted[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      posted.push({ body, headers: request.headers });
      if (status !== null) response.writeHead(status).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=hidden`, posted };
}

/** A node with these rules. */
async function stageWith(name: string, notify: readonly object[]): Promise<RunStage> {
  const stage = await RunStage.alone(name);
  stage.configure({ notify });
  await stage.startNode();
  return stage;
}

async function blockedTask({ data }: RunStage, title: string): Promise<TaskView> {
  const task = await data.json<TaskView>('task', 'new', '--title', title);
  assert.equal((await data.run(['task', 'move', task.id, 'blocked'])).status, 0);
  return task;
}

describe('notices', { concurrency: 2 }, () => {
  test('a command gets the notice as input and variables, and no shell reads its text', async () => {
    const told = join(folder, 'told');
    const program = `const fs = require('node:fs'); fs.appendFileSync(${JSON.stringify(told)},
      JSON.stringify({ ...JSON.parse(fs.readFileSync(0, 'utf8')), env: process.env.BATON_NOTICE_TITLE }) + '\\n')`;
    const stage = await stageWith('notice-command', [
      { on: ['blocked'], command: [process.execPath, '-e', program] },
      { on: ['session-ended'], command: [process.execPath, '-e', program] },
    ]);
    const title = `$(touch ${join(folder, 'pwned')}) '; touch ${join(folder, 'pwned')} #`;
    const task = await blockedTask(stage, title);
    await until(() => existsSync(told));
    await until(() => readFileSync(told, 'utf8').endsWith('\n'));
    const [notice] = readFileSync(told, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(notice.kinds, ['blocked', 'needs-you']);
    assert.deepEqual([notice.subject, notice.task], [task.id, task.id]);
    assert.equal(notice.title, `${task.id}: ${title}`);
    assert.equal(notice.env, notice.title);
    assert.ok(!existsSync(join(folder, 'pwned')));
    await stage.daemon?.end('SIGTERM');
    assert.equal(readFileSync(told, 'utf8').trim().split('\n').length, 1, 'told once');
  });

  test('the desktop is told by notify-send; where that fails, and for the bell, the terminal rings', {
    skip: noTerminal,
  }, async () => {
    const told = join(folder, 'desktop');
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    const lines = [
      '#!/bin/sh',
      `for word; do printf '%s\\0' "$word" >> '${told}'; done`,
      'case $3 in *unseen*) exit 1;; esac',
    ];
    writeFileSync(join(programs, 'notify-send'), lines.join('\n'), { mode: 0o755 });
    const stage = await RunStage.alone('notice-desktop');
    stage.configure({
      notify: [
        { on: ['blocked'], desktop: true },
        { on: ['review'], bell: true },
      ],
    });
    const path = `PATH=${programs}:${process.env['PATH']}`;
    const node = new TerminalRun(['up', '--data', stage.data.path], { through: ['env', path] });
    await node.shows(/running at|http:/);
    const title = '$(id) `id`; "quoted"';
    const task = await blockedTask(stage, title);
    const words = () => (existsSync(told) ? readFileSync(told, 'utf8').split('\0') : []);
    await until(() => words().length >= 5);
    assert.deepEqual(words().slice(0, 4), ['--app-name=Baton', '--', `${task.id}: ${title}`, 'is in blocked now']);
    assert.equal(node.screen.includes(BELL), false, 'a desktop that was reached needs no bell');
    await blockedTask(stage, 'unseen');
    await node.shows(new RegExp(BELL));
    const { id } = await stage.data.newTask('to review');
    for (const status of ['ready', 'in-progress', 'review']) await stage.data.run(['task', 'move', id, status]);
    await node.shows(new RegExp(`${BELL}[^]*${BELL}`));
    node.pressCtrlC();
    await node.ended;
  });

  test('a webhook is signed; one that is refused for good becomes an incident that names its host alone', async () => {
    const [ok, gone] = [await listen(204), await listen(404)];
    const stage = await stageWith('notice-webhook', [
      { on: ['needs-you'], webhook: ok.url, secret_file: secretFile },
      { on: ['needs-you'], webhook: gone.url, secret_file: secretFile },
    ]);
    await blockedTask(stage, 'one');
    await until(() => ok.posted.length === 1 && gone.posted.length === 1);
    const [{ body, headers }] = ok.posted as [Posted];
    const [, seconds, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['baton-signature'])) ?? [];
    assert.equal(signature, createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex'));
    assert.equal(JSON.parse(body).id, headers['baton-notice']);
    let incidents: StatusAnswer['incidents'] = [];
    await until(async () => {
      incidents = (await stage.data.json<StatusAnswer>('status')).incidents;
      return incidents.length > 0;
    });
    assert.equal(incidents[0]?.kind, 'notice_undelivered');
    assert.match(
      incidents[0]?.detail ?? '',
      /webhook 127\.0\.0\.1:\d+: gave up the notice "TASK-\S+: one": it answered 404/,
    );
    assert.doesNotMatch(incidents[0]?.detail ?? '', /hidden/);
    assert.equal(gone.posted.length, 1, 'not tried again, and not told about itself');
  });

  test('a webhook that never answers holds nothing up, and what kill -9 interrupted goes out later', async () => {
    const deaf = await listen(null);
    const stage = await stageWith('notice-deaf', [{ on: ['blocked'], webhook: deaf.url, secret_file: secretFile }]);
    const task = await blockedTask(stage, 'never heard');
    await until(() => deaf.posted.length === 1);
    await blockedTask(stage, 'beside it');
    stage.daemon?.child.kill('SIGKILL');
    await stage.daemon?.ended;
    await stage.startNode();
    await until(() => deaf.posted.length >= 2);
    assert.equal(JSON.parse(deaf.posted[1]?.body ?? '').subject, task.id, 'the same notice again');
    assert.equal(deaf.posted[1]?.headers['baton-notice'], deaf.posted[0]?.headers['baton-notice']);
    await stage.daemon?.end('SIGTERM');
  });
});
