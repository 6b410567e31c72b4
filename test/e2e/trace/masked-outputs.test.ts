import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { RunStage, taskFor } from '../../support/run-stage.ts';

const stage = await RunStage.up('masked-outputs');

/** A secret that names its place. */
function secret(name: string): string {
  return `ghp_${`${name}aB3dE6gH9jK2mN5pQ8sT1vW4xY7z`.slice(0, 32)}`;
}

/** The names of the secrets in a text. */
function leaks(text: string): string[] {
  return [...new Set([...text.matchAll(/ghp_([a-z]+)aB3dE6/g)].map(([, name]) => name ?? ''))].sort();
}

const COMMANDS = (task: string): readonly (readonly string[])[] => [
  ['status'],
  ['task', 'list'],
  ['task', 'show', task],
  ['logs', task],
  ['logs', task, '--raw'],
  ['events'],
  ['trace', task],
  ['diff', task],
  ['report'],
  ['review', 'list'],
];

const PATHS = (task: string): readonly string[] => [
  '/v1/overview',
  '/v1/attention',
  '/v1/status',
  '/v1/tasks',
  `/v1/tasks/${task}`,
  `/v1/tasks/${task}/trace`,
  `/v1/tasks/${task}/trace?whole=true`,
  `/v1/tasks/${task}/log`,
  `/v1/tasks/${task}/log?raw=true`,
  `/v1/tasks/${task}/diff`,
  `/v1/tasks/${task}/report`,
  `/v1/tasks/${task}/receipt`,
  `/v1/tasks/${task}/points`,
  '/v1/events',
];

/** Words of a person, a report of an agent and the points of a return. */
async function sayEverything(task: string): Promise<void> {
  const said: readonly (readonly string[])[] = [
    ['say', task, secret('words')],
    ['task', 'claim', task, '--agent', 'bob'],
    ['send', stage.write(`AOF/1 ${JSON.stringify(progressOf(task))}`)],
    ['task', 'move', task, 'review', '--reason', secret('reason')],
    ['review', 'return', task, '-m', secret('point')],
  ];
  for (const words of said) {
    const { status, stderr } = await stage.data.run([...words]);
    assert.equal(status, 0, `${words.join(' ')}: ${stderr}`);
  }
}

function progressOf(taskId: string): object {
  const route = { taskId, fromAgent: 'bob', toAgent: 'dispatcher', sentAt: new Date().toISOString() };
  const payload = { taskId, agentId: 'bob', progress: secret('report'), notes: secret('note') };
  return { protocol: 'aof', version: 1, type: 'status.update', ...route, payload };
}

/** Everything that a reader of the stream gets, up to the newest event. */
async function streamOf(url: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const asJson = { ...headers, accept: 'application/json' };
  const newest = await fetch(`${url}/v1/events?order=newest&limit=1`, { headers: asJson });
  const { events } = (await newest.json()) as { readonly events: readonly { readonly eventId: number }[] };
  const stop = new AbortController();
  const asked = { headers: { ...headers, accept: 'text/event-stream' }, signal: stop.signal };
  const { body } = await fetch(`${url}/v1/events?after=0`, asked);
  let text = '';
  for await (const part of (body ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes(`id: ${events[0]?.eventId}\n`)) break;
  }
  stop.abort();
  return text;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test('no secret of a person or an agent is in anything that leaves the ledger', async () => {
  const { root } = stage.repository();
  const objective = `Objective ${secret('objective')}`;
  const { own } = await stage.run(
    taskFor('tells-secrets', root, {
      task: { objective, expected_outputs: [{ type: 'FILE', path: 'work.txt', description: secret('output') }] },
    }),
  );
  const { id } = await stage.data.json<{ id: string }>(
    'task',
    'new',
    '--title',
    `T ${secret('title')}`,
    '--body',
    secret('body'),
  );
  await sayEverything(id);
  const found: string[] = [];
  const look = (where: string, text: string) => {
    for (const name of leaks(text)) found.push(`${where}: ${name}`);
  };
  for (const command of [...COMMANDS(own.task), ['task', 'show', id]]) {
    for (const flags of [[], ['--json']]) {
      const { stdout, stderr } = await stage.data.run([...command, ...flags]);
      look(`baton ${[...command, ...flags].join(' ')}`, stdout + stderr);
    }
  }
  look('baton trace --html', (await stage.data.run(['trace', own.task, '--html'])).stdout);
  const { url, token } = JSON.parse(readFileSync(join(stage.data.path, 'node.json'), 'utf8'));
  for (const path of PATHS(own.task)) {
    const response = await fetch(`${url}${path}`, {
      headers: { accept: 'application/json', authorization: `Bearer ${token}` },
    });
    look(`GET ${path} ${response.status}`, await response.text());
  }
  look('the stream of events', await streamOf(url, token));
  for (const folder of ['tasks', 'runs', 'events', 'receipts'])
    for (const file of readdirSync(stage.data.path).includes(folder) ? filesBelow(join(stage.data.path, folder)) : [])
      look(file.slice(stage.data.path.length), readFileSync(file, 'utf8'));
  assert.deepEqual(found, []);
});
