import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { receiptFacts } from '../../test/support/work/a-receipt.ts';
import type { MadeCheck } from '../domain/execution/check-result.ts';
import { collectFiles, findStaleFiles } from './checked-files.ts';
import type { WorkspacePlaces } from './workspace-places.ts';

let workspaceRoot = '';
let places: WorkspacePlaces;

beforeEach(() => {
  workspaceRoot = realpathSync(mkdtempSync(join(tmpdir(), 'baton-files-')));
  places = { workspaceRoot, readPaths: [], mounts: [] };
  mkdirSync(join(workspaceRoot, 'src'));
  for (const name of ['a.txt', 'b.json', 'src/c.ts', 'd.cfg']) writeFileSync(join(workspaceRoot, name), name);
});
afterEach(() => rmSync(workspaceRoot, { recursive: true, force: true }));

function check(own: Partial<MadeCheck>): MadeCheck {
  const [made] = receiptFacts().checksAfter;
  assert.ok(made);
  return { ...made, ...own };
}

async function namesOf(paths: readonly string[], checks: readonly MadeCheck[] = []): Promise<readonly string[]> {
  return (await collectFiles({ paths, checks }, places)).files.map(({ path }) => path);
}

test('a file is kept with its size, its time and its hash', async () => {
  utimesSync(join(workspaceRoot, 'a.txt'), 1_700_000_000, 1_700_000_000.5);
  assert.deepEqual(await collectFiles({ paths: ['a.txt'], checks: [] }, places), {
    files: [
      {
        path: 'a.txt',
        size: 5,
        mtimeMs: 1_700_000_000_500,
        sha256: createHash('sha256').update('a.txt').digest('hex'),
      },
    ],
    leftOut: 0,
  });
});

test('outputs, artifacts and the files that commands name are there, each once', async () => {
  const checks = [
    check({ argv: ['node', '--config=d.cfg', './src/c.ts', 'missing.ts', '-x', 'CONF=b.json'] }),
    check({ argv: null, path: 'a.txt' }),
    check({ argv: ['/bin/sh', '-c', `cat 'b.json' | grep x>out`] }),
  ];
  assert.deepEqual(await namesOf(['src/../a.txt', join(workspaceRoot, 'src/c.ts')], checks), [
    'a.txt',
    'b.json',
    'd.cfg',
    'src/c.ts',
  ]);
  assert.deepEqual(await namesOf([], [check({ argv: ['env', 'X=d.cfg', 'true'] })]), ['d.cfg']);
});

test('folders, pipes, what is outside and links that lead out are left alone', async () => {
  execFileSync('mkfifo', [join(workspaceRoot, 'pipe')]);
  symlinkSync('/etc/passwd', join(workspaceRoot, 'out'));
  symlinkSync('a.txt', join(workspaceRoot, 'in'));
  assert.deepEqual(await namesOf(['src', 'pipe', '/etc/passwd', '../x', 'out', 'in', '', 'C:/x']), ['in']);
});

test('a receipt is stale when a file has gone or holds something else, and not when only its time changed', async () => {
  const collected = await collectFiles({ paths: ['a.txt', 'b.json', 'src/c.ts', 'd.cfg'], checks: [] }, places);
  assert.deepEqual(await findStaleFiles(collected, places), []);
  utimesSync(join(workspaceRoot, 'a.txt'), 1, 1);
  assert.deepEqual(await findStaleFiles(collected, places), []);
  writeFileSync(join(workspaceRoot, 'b.json'), 'B.json');
  utimesSync(join(workspaceRoot, 'b.json'), 1, 1);
  rmSync(join(workspaceRoot, 'src'), { recursive: true });
  writeFileSync(join(workspaceRoot, 'd.cfg'), 'longer than before');
  assert.deepEqual(await findStaleFiles(collected, places), [
    { path: 'b.json', now: 'changed' },
    { path: 'd.cfg', now: 'changed' },
    { path: 'src/c.ts', now: 'missing' },
  ]);
});

test('a file that became a folder, or a link out of the workspace, has changed', async () => {
  const collected = await collectFiles({ paths: ['a.txt', 'b.json'], checks: [] }, places);
  rmSync(join(workspaceRoot, 'a.txt'));
  mkdirSync(join(workspaceRoot, 'a.txt'));
  rmSync(join(workspaceRoot, 'b.json'));
  symlinkSync('/etc/passwd', join(workspaceRoot, 'b.json'));
  assert.deepEqual(await findStaleFiles(collected, places), [
    { path: 'a.txt', now: 'changed' },
    { path: 'b.json', now: 'changed' },
  ]);
});
