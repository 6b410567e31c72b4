import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../support/data-folder.ts';
import { noBubblewrap } from '../support/test-process.ts';
import { TEARS, tearEachFile } from '../support/work/tear-files.ts';

const scratch = scratchFolder('torn-each');

for (const [how, tear] of Object.entries(TEARS)) {
  test(`each file beside the ledger, ${how}: commands work or say what to do, and nothing hangs`, {
    skip: noBubblewrap,
    timeout: 600_000,
  }, async () => {
    await tearEachFile(join(scratch, how.replaceAll(' ', '-')), () => tear);
  });
}
