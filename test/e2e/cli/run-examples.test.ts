import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { needDebianPackages, reason } from '../../../scripts/debian-packages.mjs';
import { linesOf, ROOT, runBaton } from '../../support/run-baton.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-run-examples-'));
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
execFileSync('git', ['init', '--quiet', folder]);
const own = ['-c', 'user.name=t', '-c', 'user.email=t@localhost'];
execFileSync('git', ['-C', folder, ...own, 'commit', '--quiet', '--allow-empty', '-m', 'Begin']);
const skip = reason(needDebianPackages(['bubblewrap']));

async function examplesOf(command: string): Promise<readonly string[]> {
  const [help] = linesOf<{ examples: readonly string[] }>(await runBaton([command, '--help', '--json']));
  return help?.examples ?? [];
}

/** As a person pastes it, in the repository. */
function paste(example: string) {
  const environment = { PATH: `${join(ROOT, 'bin')}:${process.env['PATH'] ?? ''}` };
  return runBaton(['-c', example], { program: '/bin/sh', folder, environment });
}

test('what the help of run shows with the demo agent runs as it stands there', { skip }, async () => {
  const examples = (await examplesOf('run')).filter((example) => example.includes('--agent demo'));
  assert.ok(examples.length > 0);
  for (const example of examples) {
    const run = await paste(example);
    assert.equal(run.status, 0, `${example}\n${run.stdout}${run.stderr}`);
  }
});

test('so do those of the commands that come after it, on the last task', { skip }, async () => {
  const made = await paste('baton run "@demo write NOTES.md hi" --agent demo --check "grep hi NOTES.md" --yes');
  assert.equal(made.status, 0, made.stdout + made.stderr);
  for (const command of ['logs', 'verify', 'diff', 'undo']) {
    const examples = (await examplesOf(command)).filter((example) => example.includes('@'));
    assert.ok(examples.length > 0, command);
    for (const example of examples) {
      const run = await paste(example);
      assert.equal(run.status, 0, `${example}\n${run.stdout}${run.stderr}`);
    }
  }
});

test('without a terminal nobody is asked: what is risky is refused with what to say instead', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'baton-no-git-'));
  try {
    const run = await runBaton(['run', 'do it', '--agent', 'demo', '--json'], { folder: outside });
    assert.equal(run.status, 2);
    const [refusal] = linesOf<{ verdict: string; code: string; hint: string }>(run);
    assert.deepEqual([refusal?.verdict, refusal?.code], ['refused', 'needs_answer']);
    assert.match(refusal?.hint ?? '', /--yes/);
  } finally {
    rmSync(outside, { recursive: true, force: true, maxRetries: 10 });
  }
});
