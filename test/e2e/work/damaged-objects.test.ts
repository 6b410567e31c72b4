import assert from 'node:assert/strict';
import { chmodSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { linesOf } from '../../support/run-baton.ts';
import { orderRun, RunStage } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const DAMAGES: Readonly<Record<string, (file: string) => void>> = {
  'cut to nothing': (file) => {
    chmodSync(file, 0o600);
    truncateSync(file, 0);
  },
  'cut in the middle': (file) => {
    chmodSync(file, 0o600);
    truncateSync(file, 20);
  },
  removed: (file) => rmSync(file),
};

/** The loose objects of a folder that has a store in it. */
function looseObjects(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.store\/objects\/[0-9a-f]{2}$/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('saved files that were damaged', { skip: noBubblewrap }, () => {
  for (const [how, damage] of Object.entries(DAMAGES))
    test(`diff, undo and apply say in one sentence which object is ${how}`, async () => {
      const stage = await RunStage.alone('damaged-objects');
      const repository = stage.repository();
      const shadows = join(stage.data.path, 'shadows');
      const flags = ['--agent', 'demo', '--yes', '--workspace', repository.root, '--json'];
      const ended = await stage.data.run(['run', '@demo write first.txt hello', ...flags]);
      assert.equal(ended.status, 3, ended.stdout + ended.stderr);
      const { task } = orderRun(ended).own;
      const objects = looseObjects(shadows);
      assert.ok(objects.length > 0);
      for (const object of objects) damage(object);
      const doctor = await stage.data.run(['doctor']);
      assert.equal(doctor.status, 1);
      if (how === 'cut to nothing')
        assert.match(doctor.stdout, /^wrong +shadows: saved objects are empty: .*\.store\/objects\//m);
      else
        assert.match(
          doctor.stdout,
          new RegExp(`^wrong +shadows: saved files are missing, .*: diff and undo fail for .*${task}`, 'm'),
        );
      for (const verb of ['diff', 'undo', 'apply']) {
        const run = await stage.data.run([verb, task, '--json']);
        const [refused] = linesOf<{ code: string; hint: string; errors: { message: string }[] }>(run);
        assert.deepEqual([run.status, refused?.code], [2, 'saved_files_damaged'], run.stdout + run.stderr);
        assert.match(
          refused?.errors[0]?.message ?? '',
          new RegExp(`^the saved files of ${task} are damaged: .*[0-9a-f/]{40,} is missing or torn$`),
        );
        assert.ok(refused?.hint.includes(`baton logs ${task}`));
      }
    });
});
