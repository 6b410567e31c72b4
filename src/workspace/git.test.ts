import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository } from '../../test/support/test-repository.ts';
import { git, gitPipe } from './git.ts';
import { WorkspaceFault } from './workspace-fault.ts';

/** Entries of PATH by which a folder's own programs would be found. */
const ENTRIES: Readonly<Record<string, (root: string) => string>> = {
  'the working folder': () => '.',
  'an empty entry': () => '',
  'a relative folder': () => 'bin',
  'a folder of the workspace': (root) => join(root, 'bin'),
  'a link to a folder of the workspace': (root) => join(linked(root), 'bin'),
  'a folder with a link into the workspace': (root) => join(linked(root), 'other'),
};

/** A folder outside of the workspace, with links into it. */
function linked(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'baton-git-path-'));
  mkdirSync(join(folder, 'other'));
  symlinkSync(join(root, 'bin'), join(folder, 'bin'));
  symlinkSync(join(root, 'bin/git'), join(folder, 'other/git'));
  return folder;
}

for (const [entry, entryOf] of Object.entries(ENTRIES)) {
  test(`git is not the workspace's own program, with ${entry} first in PATH`, async () => {
    const { root, repository } = new TestRepository();
    mkdirSync(join(root, 'bin'));
    for (const file of ['git', 'bin/git']) {
      writeFileSync(join(root, file), `#!/bin/sh\ntouch "${root}/planted"\n`, { mode: 0o755 });
    }
    const { PATH } = process.env;
    process.env.PATH = `${entryOf(root)}:${PATH}`;
    const here = process.cwd();
    process.chdir(root);
    try {
      const place = { gitDir: repository.gitDir, workTree: root };
      const { stdout } = await git(place, { args: ['-c', 'alias.path=!echo "$PATH"', 'path'] });
      assert.doesNotMatch(stdout.toString(), new RegExp(`(^|:)(:|\\.|bin|${root})`, 'm'));
      await gitPipe(place, [{ args: ['version'] }, { args: ['version'] }], 1_000);
    } finally {
      process.chdir(here);
      process.env.PATH = PATH;
    }
    assert.equal(existsSync(join(root, 'planted')), false);
  });
}

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
