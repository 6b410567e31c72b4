import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../../../test/support/test-repository.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { restoreSnapshots } from './restore-snapshots.ts';
import { takeSnapshots } from './take-snapshots.ts';

const SWAPPER = new URL('../../../test/fixtures/workspace/swaps-folder-for-link.mjs', import.meta.url).pathname;
const RACES = 300;

test('a folder that is swapped for a link all the time leads neither a snapshot nor a restore outside', async () => {
  const scratch = testFolder();
  const [root, outside] = [join(scratch, 'ws'), join(scratch, 'outside')];
  const folder = join(root, 'folder');
  for (const path of [folder, outside]) mkdirSync(path, { recursive: true });
  writeFileSync(join(folder, 'file'), 'mine');
  writeFileSync(join(outside, 'file'), 'SECRET');
  const home = { task: 'T', workspaceRoot: root, root, snapshotsFolder: join(scratch, 'kept'), place: null };
  const wanted = ['folder/file', 'folder/new'].map((path) => ({ path, strategy: null, snapshotPath: null }));
  const first = await takeSnapshots(home, wanted);
  assert.ok(!isRefusal(first));
  const swapper = spawn(process.execPath, [SWAPPER, folder, outside], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(swapper, 'exit');
  await once(swapper.stdout, 'data');
  try {
    for (let race = 0; race < RACES; race++) {
      await restoreSnapshots(home, first);
      assert.equal(readFileSync(join(outside, 'file'), 'utf8'), 'SECRET');
      assert.deepEqual(readdirSync(outside), ['file']);
    }
    for (let race = 0; race < RACES; race++) {
      const other = { ...home, snapshotsFolder: join(scratch, `kept-${race}`) };
      // A folder that is gone at the moment of the look is a fault or a missing file, as it should be.
      const taken = await takeSnapshots(other, wanted).catch(() => []);
      if (isRefusal(taken) || !taken[0]?.keptAs) continue;
      const place = readFileSync(`${taken[0].keptAs}.place`, 'utf8');
      if (place === join(folder, 'file')) assert.equal(readFileSync(taken[0].keptAs, 'utf8'), 'mine');
    }
    assert.equal(swapper.exitCode, null);
  } finally {
    swapper.kill('SIGKILL');
    await ended;
  }
});
