import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CliStage } from '../support/cli-stage.ts';
import { CLAUDE, noVendorCli } from '../support/vendor-cli.ts';
import { exercise } from './exercise.ts';

exercise(CLAUDE);

describe('claude, with a cap on money', { skip: noVendorCli(CLAUDE.name) }, () => {
  test('it stops between two turns, not after the last one', async () => {
    const stage = await CliStage.begin([CLAUDE]);
    const files = [1, 2, 3, 4, 5, 6].map((number) => `${number}.txt`);
    stage.model.follow(files.map((name) => ({ do: 'write', path: stage.path(name), content: 'x' }) as const));
    const run = await stage.startRun('--check', 'test -f 6.txt', '--budget', '0.002').ended;
    assert.equal(run.status, 5, run.stdout + run.stderr);
    const written = files.filter((name) => existsSync(stage.path(name)));
    assert.ok(written.length > 0 && written.length < files.length, written.join(' '));
  });
});
