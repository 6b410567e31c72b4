import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository } from '../../test/support/test-repository.ts';
import { git } from './git.ts';
import { WorkspaceFault } from './workspace-fault.ts';

test('a stop ends a running call of git and the processes that git started', async () => {
  const { root, repository } = new TestRepository();
  const stop = new AbortController();
  const place = { gitDir: repository.gitDir, workTree: root, signal: stop.signal };
  execFileSync('mkfifo', [join(root, 'pipe')]);
  // An alias starts a shell, and the shell another program. That one holds the output of git open.
  const waiting = git(place, { args: ['-c', 'alias.wait=!echo started > pipe; sleep 600; true', 'wait'] });
  await readFile(join(root, 'pipe'));
  stop.abort(new Error('stopped by a person'));
  await assert.rejects(waiting, (error) => error instanceof WorkspaceFault && error.cause === stop.signal.reason);
  await assert.rejects(git(place, { args: ['version'] }), WorkspaceFault);
});
