import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { linesOf, runBaton } from '../../support/run-baton.ts';

interface Opened {
  readonly url: string;
  readonly expiresAt: string;
  readonly opened: string;
  readonly ssh: string | null;
  readonly started: number | null;
}

const folder = scratchFolder('open');
const data = new DataFolder(join(folder, 'data'));
const open = (flags: readonly string[], environment: Record<string, string> = {}) =>
  runBaton(['open', '--data', data.path, ...flags], {
    environment: { DISPLAY: '', SSH_CONNECTION: '', ...environment },
  });

async function exchange({ url }: Opened): Promise<number> {
  const { origin, hash } = new URL(url);
  const headers = { 'baton-link': hash.slice('#link='.length) };
  return (await fetch(`${origin}/v1/dashboard/token`, { method: 'POST', headers })).status;
}

test('without a node it starts one, prints a link and how to stop it', async () => {
  const run = await open([]);
  assert.equal(run.status, 0, run.stderr);
  assert.match(
    run.stdout,
    /^started the node \(process \d+\); baton down stops it\nopen this in your browser:\n {2}http:/,
  );
  assert.match(run.stdout, /works once, within 15 minutes/);
  assert.equal(existsSync(join(data.path, 'open.html')), false);
});

test('with a node it prints a link that works once, and --json has it in fields', async () => {
  const [first] = linesOf<Opened>(await open(['--json']));
  assert.ok(first);
  assert.deepEqual([first.opened, first.ssh, first.started], ['not-asked', null, null]);
  const left = Date.parse(first.expiresAt) - Date.now();
  assert.ok(left > 14 * 60_000 && left <= 15 * 60_000, String(left));
  assert.deepEqual([await exchange(first), await exchange(first)], [201, 401]);
});

test('over SSH it prints the line that leads the browser of another machine here', async () => {
  const environment = { SSH_CONNECTION: '192.0.2.7 50000 192.0.2.1 22', DISPLAY: ':0' };
  const [opened] = linesOf<Opened>(await open(['--json'], environment));
  const port = new URL(opened?.url ?? '').port;
  assert.match(opened?.ssh ?? '', new RegExp(`^ssh -N -L ${port}:127\\.0\\.0\\.1:${port} \\S+@192\\.0\\.2\\.1$`));
  const { stdout } = await open([], environment);
  assert.match(stdout, /^on your own machine, first:\n {2}ssh -N -L .*\nthen open there:\n {2}http:/);
});

test('the browser gets a file that nobody else can read, and the link is in no argument', async () => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const seen = join(folder, 'seen');
  // A browser that follows the file to the link, as a real one does.
  const program = [
    '#!/bin/sh',
    `printf '%s\\n' "$@" > ${seen}`,
    'file=$(printf %s "$1" | sed "s|^file://||")',
    `stat -c %a "$file" >> ${seen}`,
    'link=$(sed -n \'s|.*url=\\([^"]*\\)".*|\\1|p\' "$file")',
    'code=$(printf %s "$link" | sed "s|.*#link=||")',
    'origin=$(printf %s "$link" | sed "s|/#.*||")',
    'curl -s -X POST -H "baton-link: $code" "$origin/v1/dashboard/token" > /dev/null',
  ];
  writeFileSync(join(bin, 'xdg-open'), program.join('\n'));
  chmodSync(join(bin, 'xdg-open'), 0o755);
  const { stdout, status } = await open([], { DISPLAY: ':0', PATH: `${bin}:${process.env.PATH}` });
  assert.deepEqual([status, stdout], [0, 'the dashboard is open in your browser\n']);
  const [argument = '', mode] = readFileSync(seen, 'utf8').split('\n');
  assert.match(argument, /^file:\/\/\S+\/open\.html$/);
  assert.equal(mode, '600');
  assert.equal(existsSync(join(data.path, 'open.html')), false);
  assert.equal(statSync(data.path).mode & 0o077, 0);
});

test('it takes no arguments, and a node that is down is told', async () => {
  const wrong = await open(['http://127.0.0.1']);
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /takes no arguments/);
  assert.equal((await data.run(['down'])).status, 0);
});
