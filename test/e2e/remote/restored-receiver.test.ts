import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually, NodeStage } from '../../support/federation/joined-nodes.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new NodeStage('restored-receiver');

describe('a task whose node is restored from an older backup', { skip: noBubblewrap }, () => {
  test('is begun again with the files that were sent, not with what was left of the work', async () => {
    const { left, right } = await stage.leftAndRight();
    execFileSync('git', ['init', '-q'], { cwd: left.workspace });
    const backup = join(stage.folder, 'right.bak');
    assert.equal((await right.run(['backup', backup])).status, 0);
    const words = '@demo write made.txt made\n@demo sleep 3000';
    await left.order(words, '--on', 'right', '--check', 'grep -q made made.txt', '--detach');
    const work = join(right.path, 'travel', 'work');
    const isMade = () => existsSync(work) && readdirSync(work).some((name) => existsSync(join(work, name, 'made.txt')));
    await eventually(isMade, (made) => made, 'half of the work');
    right.kill();
    const restored = await right.run(['restore', backup]);
    assert.equal(restored.status, 0, restored.stderr);
    await right.up();
    const done = await left.taskIs('done');
    assert.equal(done.reason, 'every check passed');
    assert.match((await left.run(['diff', '@'])).stdout, /made\.txt/);
  });
});
