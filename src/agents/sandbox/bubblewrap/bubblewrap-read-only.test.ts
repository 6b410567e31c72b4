import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NOTHING, noBubblewrap, runShell, scratchFolder } from '../../../../test/support/test-process.ts';
import { BubblewrapSandbox } from './bubblewrap-sandbox.ts';

const sandbox = new BubblewrapSandbox('/usr/bin/bwrap');
const scratch = scratchFolder();
const options = { skip: noBubblewrap };

/** A workspace that may be written, but for one file and one folder deep in it. */
async function tryIn(command: string): Promise<{ readonly workspace: string; readonly isDone: boolean }> {
  const workspace = mkdtempSync(join(scratch, 'read-only-'));
  mkdirSync(join(workspace, 'a/b'), { recursive: true });
  mkdirSync(join(workspace, 'docs/more'), { recursive: true });
  writeFileSync(join(workspace, 'a/b/in.txt'), 'as given');
  writeFileSync(join(workspace, 'docs/more/d.txt'), 'as given');
  const readOnlyPaths = ['a/b/in.txt', 'docs', 'docs/more/d.txt', 'not-there/deep/in.txt'].map((path) =>
    join(workspace, path),
  );
  const grant = { ...NOTHING, readPaths: [workspace], writePaths: [workspace], readOnlyPaths };
  const { end } = await runShell(sandbox, command, { cwd: workspace, grant });
  return { workspace, isDone: end.kind === 'exited' && end.exitCode === 0 };
}

const DENIED = [
  'echo x >> a/b/in.txt',
  'rm a/b/in.txt',
  'mv a/b/in.txt elsewhere',
  'echo x > new && mv new a/b/in.txt',
  'mv a/b a/c',
  'mv a c',
  'chmod 777 a/b/in.txt',
  'ln a/b/in.txt other && echo x > other',
  'echo x > docs/new.txt',
  'echo x > docs/more/d.txt',
  'mv docs/more docs/less',
  'mv docs gone',
];
for (const command of DENIED) {
  test(`inside of what may be written, what may only be read is held: ${command}`, options, async () => {
    const { workspace, isDone } = await tryIn(command);
    assert.equal(isDone, false);
    assert.equal(readFileSync(join(workspace, 'a/b/in.txt'), 'utf8'), 'as given');
    assert.equal(readFileSync(join(workspace, 'docs/more/d.txt'), 'utf8'), 'as given');
  });
}

test('what lies beside it is written, and it is read', options, async () => {
  const { workspace, isDone } = await tryIn(
    'cat a/b/in.txt docs/more/d.txt > a/b/out.txt && echo x > new.txt && mkdir -p c/d',
  );
  assert.equal(isDone, true);
  assert.equal(readFileSync(join(workspace, 'a/b/out.txt'), 'utf8'), 'as givenas given');
  assert.ok(existsSync(join(workspace, 'c/d')));
  assert.ok(!existsSync(join(workspace, 'not-there')));
});
