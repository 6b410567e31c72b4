import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { linesOf } from '../../support/run-baton.ts';

const scratch = scratchFolder('damaged-schema');

interface Refused {
  readonly code: string;
  readonly errors: readonly { readonly message: string }[];
  readonly hint: string;
}

/** One bit in the name of a column, wherever the page has it. */
function flipBit(file: string): void {
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf('  title TEXT'); at >= 0; at = bytes.indexOf('  title TEXT', at + 1))
    bytes[at + 2] = 0x75;
  writeFileSync(file, bytes);
}

test('one bit in the definition of a table: every command refuses the ledger with words, doctor finds it, a backup brings it back', async () => {
  const data = new DataFolder(join(scratch, 'data'));
  await data.newTask('One');
  const backup = join(scratch, 'backup');
  await data.json('backup', backup);
  const file = join(data.path, 'ledger.sqlite');
  flipBit(file);
  const before = readFileSync(file);
  for (const args of [['task', 'list'], ['status'], ['up', '-d'], ['up'], ['backup', join(scratch, 'second')]]) {
    const run = await data.run([...args, '--json']);
    const refused = linesOf<Refused>(run)[0];
    assert.deepEqual(
      [run.status, refused?.code],
      [2, 'ledger_damaged'],
      `${args.join(' ')}: ${run.stdout}${run.stderr}`,
    );
    assert.match(refused?.errors[0]?.message ?? '', /the definition of table tasks is not as Baton wrote it/);
    assert.match(refused?.hint ?? '', /baton restore/);
    assert.equal(run.stderr.includes('    at '), false, run.stderr);
  }
  assert.equal(linesOf<Refused>(await data.run(['down', '--json']))[0]?.code, undefined, 'there is no node to stop');
  const doctor = await data.run(['doctor', '--json']);
  const wrong = linesOf<{ about: string; state: string }>(doctor).filter(({ state }) => state === 'wrong');
  assert.deepEqual([doctor.status, wrong.map(({ about }) => about)], [1, ['ledger']]);
  assert.deepEqual(readFileSync(file), before);
  await data.json('restore', backup);
  assert.deepEqual((await data.json<{ title: string }>('task', 'list')).title, 'One');
});
