import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../../../test/support/test-repository.ts';
import { findSandbox } from '../../agents/sandbox/find-sandbox.ts';
import { sandboxFinding } from './machine-findings.ts';

test('a bubblewrap that is installed and may not work is no sandbox, for doctor as for a run', async () => {
  const program = join(testFolder(), 'bwrap');
  writeFileSync(program, '#!/bin/sh\necho "setting up uid map: Permission denied" >&2\nexit 1\n', { mode: 0o755 });
  const { state, message, hint } = sandboxFinding(await findSandbox([program]));
  assert.equal(state, 'note');
  assert.match(message, /^agents cannot be confined to their folder: .*uid map: Permission denied/);
  assert.match(hint ?? '', /needs user namespaces/);
});

test('a missing bubblewrap is named with what to install', async () => {
  const { state, message, hint } = sandboxFinding(await findSandbox(['/nowhere/bwrap']));
  assert.deepEqual([state, hint], ['note', 'install bubblewrap']);
  assert.match(message, /bubblewrap is not installed/);
});
