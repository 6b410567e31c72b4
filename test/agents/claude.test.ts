import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CliStage } from '../support/agent/cli-stage.ts';
import { CLAUDE, noVendorCli } from '../support/agent/vendor-cli.ts';
import { exercise } from './exercise.ts';

exercise(CLAUDE);

describe('claude, with a cap on money', { skip: noVendorCli(CLAUDE.name) }, () => {
  test('it stops between two turns, not after the last one', async () => {
    const stage = await CliStage.begin([CLAUDE]);
    const files = Array.from({ length: 12 }, (_, at) => `${at + 1}.txt`);
    stage.model.follow(files.map((name) => ({ do: 'write', path: stage.path(name), content: 'x' }) as const));
    // A turn costs $0.00096, and the program may make a request of its own.
    const run = await stage.startRun('--check', 'test -f 12.txt', '--budget', '0.005').ended;
    assert.equal(run.status, 5, run.stdout + run.stderr);
    const written = files.filter((name) => existsSync(stage.path(name)));
    assert.ok(written.length > 0 && written.length < files.length, written.join(' '));
  });
});
