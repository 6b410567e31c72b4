import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, runBaton } from '../../support/run-baton.ts';

test('the demo agent of a build is whole in one file, and says that no model was used', async () => {
  // The launcher builds what is older than its source.
  assert.equal((await runBaton(['--version'])).status, 0);
  const folder = mkdtempSync(join(tmpdir(), 'baton-demo-'));
  try {
    const program = join(folder, 'alone.mjs');
    copyFileSync(join(ROOT, 'dist/demo-agent.js'), program);
    const input = '@demo write a.txt hello';
    const run = spawnSync(process.execPath, [program], { cwd: folder, env: {}, input, encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'hello\n');
    assert.match(run.stdout, /No model was used\.$/m);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
});
