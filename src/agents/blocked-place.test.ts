import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../../test/support/test-process.ts';
import { blockedPlace } from './blocked-place.ts';

const home = mkdtempSync(join(scratchFolder(), 'home-'));

test('a place that is there, or that can be made, is not blocked', () => {
  mkdirSync(join(home, 'sessions'));
  symlinkSync(join(home, 'sessions'), join(home, 'linked'));
  assert.equal(blockedPlace([`${home}/sessions/`, `${home}/linked/`, `${home}/linked/new/deep/`]), null);
});

test('a file or a dead link in the place of a folder, at whatever depth, is named with what to do', () => {
  writeFileSync(join(home, 'file'), '');
  symlinkSync('/nowhere/x', join(home, 'dead'));
  const file = `${home}/file is no folder, and the agent keeps its sessions there; move it away`;
  const dead = `${home}/dead is a link to /nowhere/x, which is not there; the agent keeps its sessions there: remove the link`;
  for (const below of ['', 'one/two/']) {
    assert.equal(blockedPlace([`${home}/file/${below}`]), file);
    assert.equal(blockedPlace([`${home}/dead/${below}`]), dead);
  }
});
