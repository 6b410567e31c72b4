import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { CliStage } from '../support/agent/cli-stage.ts';
import { CODEX, noVendorCli } from '../support/agent/vendor-cli.ts';
import { exercise } from './exercise.ts';

exercise(CODEX);

describe('codex, with its folder in the dotfiles of its user', { skip: noVendorCli(CODEX.name) }, () => {
  test('its settings are read through the link, and its sessions are kept behind it', async () => {
    const stage = await CliStage.begin([CODEX]);
    const dotfiles = join(stage.home, 'dotfiles');
    mkdirSync(dotfiles);
    renameSync(join(stage.home, '.codex'), join(dotfiles, 'codex'));
    symlinkSync(join(dotfiles, 'codex'), join(stage.home, '.codex'));
    stage.model.follow([{ do: 'write', path: stage.path('out.txt'), content: 'hello' }]);
    const { exit, stdout } = await stage.run('--check', 'test -f out.txt');
    assert.equal(exit, 0, stdout);
    assert.deepEqual(readdirSync(join(dotfiles, 'codex')).sort(), ['config.toml', 'sessions']);
  });
});
