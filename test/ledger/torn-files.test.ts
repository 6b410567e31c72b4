import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DataFolder, scratchFolder } from '../support/data-folder.ts';
import { noBubblewrap } from '../support/test-process.ts';
import { TEARS, tearEachFile } from '../support/work/tear-files.ts';

const scratch = scratchFolder('torn-beside');

test('doctor names a lock file of another program, and leaves it as it is', async () => {
  const data = new DataFolder(join(scratch, 'foreign-lock'));
  await data.run(['init']);
  const file = join(data.path, 'lock.sqlite');
  const text = 'a file of somebody else\n'.repeat(100);
  writeFileSync(file, text);
  const doctor = await data.run(['doctor']);
  assert.equal(doctor.status, 1);
  assert.match(doctor.stdout, /^wrong +lock\.sqlite: .*lock\.sqlite has content that is not Baton's/m);
  assert.equal(readFileSync(file, 'utf8'), text);
  assert.equal((await data.run(['status'])).status, 0);
});

test('each file beside the ledger, torn in one of three ways: commands work or say what to do, and nothing hangs', {
  skip: noBubblewrap,
  timeout: 600_000,
}, async () => {
  const tears = Object.values(TEARS);
  await tearEachFile(join(scratch, 'in-turn'), (at) => tears[at % tears.length] as (typeof tears)[number]);
});
