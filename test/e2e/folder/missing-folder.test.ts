import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../../support/data-folder.ts';
import { linesOf, runBaton } from '../../support/run-baton.ts';

const scratch = scratchFolder('missing-folder');

const LOOKS = [
  'status',
  'task list',
  'task show 1',
  'events',
  'events --follow',
  'logs 1',
  'logs 1 -f',
  'diff 1',
  'agents',
  'doctor',
  'run words --dry-run',
  'config show',
  'down',
];

for (const words of LOOKS) {
  test(`baton ${words} refuses a data folder that does not exist, and creates nothing`, async () => {
    const missing = join(scratch, words.replaceAll(' ', '-'), 'deep');
    for (const how of ['flag', 'variable'] as const) {
      const args = [...words.split(' '), '--json', ...(how === 'flag' ? ['--data', missing] : [])];
      const run = await runBaton(args, how === 'flag' ? {} : { environment: { BATON_DATA: missing } });
      const [refused] = linesOf<{ code: string; hint: string; errors: { message: string }[] }>(run);
      assert.deepEqual([run.status, refused?.code], [2, 'folder_not_found'], run.stdout + run.stderr);
      assert.match(refused?.errors[0]?.message ?? '', /does not exist/);
      assert.match(refused?.hint ?? '', /baton init/);
      assert.equal(existsSync(join(scratch, words.replaceAll(' ', '-'))), false);
    }
  });
}

test('a command that creates something makes the folder', async () => {
  const missing = join(scratch, 'made');
  const run = await runBaton(['task', 'new', 'One', '--json', '--data', missing]);
  assert.equal(run.status, 0, run.stderr);
  mkdirSync(join(scratch, 'empty'));
  assert.equal((await runBaton(['status', '--json', '--data', join(scratch, 'empty')])).status, 0);
});
