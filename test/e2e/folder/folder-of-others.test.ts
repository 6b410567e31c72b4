import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../../support/data-folder.ts';
import { type BatonRun, linesOf, runBaton } from '../../support/run-baton.ts';

const scratch = scratchFolder('folder-of-others');

interface RefusedCall {
  readonly code: string;
  readonly hint: string;
  readonly errors: readonly { readonly message: string }[];
}

const COMMANDS = [
  'status',
  'events',
  'task list',
  'logs 1',
  'diff 1',
  'undo 1',
  'stop 1',
  'run words --yes',
  'run words --dry-run',
  'task new One',
  'init',
  'init --trust',
  'up',
  'down',
  'doctor',
  'agents',
  'config show',
  'config set agent demo',
  'backup copy.sqlite',
  'restore copy.sqlite',
  'rebuild --from tree',
];

/** A folder with a file of somebody else, and mode 755. */
function folderOfOthers(path: string): string {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'passwd'), 'root\n');
  chmodSync(path, 0o755);
  return path;
}

function assertRefused(run: BatonRun, folder: string): void {
  const [refused] = linesOf<RefusedCall>(run);
  assert.deepEqual([run.status, refused?.code], [2, 'folder_not_empty'], run.stdout + run.stderr);
  assert.match(refused?.errors[0]?.message ?? '', /is not empty and is not a data folder of Baton/);
  assert.ok(refused?.errors[0]?.message.includes(folder), refused?.errors[0]?.message);
  assert.match(refused?.hint ?? '', /an empty folder or a new one/);
  assert.deepEqual([readdirSync(folder), statSync(folder).mode & 0o777], [['passwd'], 0o755]);
}

for (const words of COMMANDS) {
  test(`baton ${words} refuses a folder with files of others, and leaves it unchanged`, async () => {
    const folder = folderOfOthers(join(scratch, words.replaceAll(' ', '-')));
    assertRefused(await runBaton([...words.split(' '), '--json', '--data', folder], { folder: scratch }), folder);
  });
}

test('BATON_DATA and the default place are no exception', async () => {
  const folder = folderOfOthers(join(scratch, 'place', '.baton'));
  assertRefused(await runBaton(['status', '--json'], { environment: { BATON_DATA: folder } }), folder);
  assertRefused(await runBaton(['task', 'new', 'One', '--json'], { folder: join(scratch, 'place') }), folder);
});

test('a folder that a killed command left half made is used', async () => {
  const folder = join(scratch, 'half');
  mkdirSync(folder, { mode: 0o700 });
  for (const name of ['.gitignore', '..gitignore.77.tmp', '..gitignore.77-1.tmp', '.id.77.tmp'])
    writeFileSync(join(folder, name), '');
  assert.equal((await runBaton(['task', 'new', 'One', '--json', '--data', folder])).status, 0);
});
