import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { orderRun, RunStage } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('torn-files');

const TEARS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  'cut to nothing': () => Buffer.alloc(0),
  'cut in half': (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)),
  overwritten: () => Buffer.from('\0 not what Baton wrote\n'),
};

/** All files beside the objects of the shadows, but for the names of recorded commits. */
function tearAll(dataFolder: string, tear: (bytes: Buffer) => Buffer): void {
  const entries = readdirSync(join(dataFolder, 'shadows'), { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || /\/(objects|names)(\/|$)/.test(entry.parentPath)) continue;
    const file = join(entry.parentPath, entry.name);
    writeFileSync(file, tear(readFileSync(file)));
  }
}

describe('files about workspaces that were torn', { skip: noBubblewrap }, () => {
  for (const [how, tear] of Object.entries(TEARS))
    test(`doctor tells, and diff, run and undo work: ${how}`, async () => {
      const repository = stage.repository();
      const run = async (words: string) => {
        const flags = ['--agent', 'demo', '--yes', '--workspace', repository.root, '--json'];
        const ended = await stage.data.run(['run', words, ...flags]);
        assert.equal(ended.status, 3, ended.stdout + ended.stderr);
        return orderRun(ended).own.task;
      };
      const first = await run('@demo write first.txt hello');
      tearAll(stage.data.path, tear);
      const doctor = await stage.data.run(['doctor']);
      assert.match(doctor.stdout, /shadows.*cannot be read: .*(config|modes\.json)/, doctor.stdout);
      assert.match((await stage.data.run(['diff', first])).stdout, /^\+hello$/m);
      tearAll(stage.data.path, tear);
      const second = await run('@demo write second.txt hello');
      tearAll(stage.data.path, tear);
      for (const task of [second, first]) {
        const undone = await stage.data.run(['undo', task]);
        assert.equal(undone.status, 0, undone.stdout + undone.stderr);
      }
      assert.equal(repository.git('status', '--porcelain'), '');
    });
});
