import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { linesOf, ROOT, runBaton } from '../../support/run-baton.ts';
import { noBubblewrap } from '../../support/test-process.ts';

interface Line {
  readonly file: string;
  readonly protocol: string;
  readonly verdict: string;
  readonly warnings: readonly unknown[];
}

test('every example is accepted without a warning, and all five protocols have one', async () => {
  const files = readdirSync(join(ROOT, 'examples', 'messages')).map((name) => `examples/messages/${name}`);
  const run = await runBaton(['check', '--json', ...files]);
  const lines = linesOf<Line>(run);
  assert.deepEqual(
    lines.filter((line) => line.verdict !== 'accepted' || line.warnings.length > 0),
    [],
  );
  assert.equal(run.status, 0);
  assert.equal(new Set(lines.map((line) => line.file)).size, files.length);
  assert.deepEqual(new Set(lines.map((line) => line.protocol)), new Set(['aop', 'afp', 'aof', 'saop', 'runtime']));
});

test('the session in the README shows what Baton prints', async () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const task = readFileSync(join(ROOT, 'examples', 'messages', 'aop-task.json'), 'utf8');
  const wrong = task
    .replace('MEDIUM', 'HUGE')
    .split('\n')
    .filter((line) => !line.includes('task_id'))
    .join('\n');
  for (const flags of [[], ['--json']]) {
    const { stdout } = await runBaton(['check', ...flags, '-'], { input: [wrong] });
    const shown =
      flags.length > 0
        ? stdout.replace('"file":"-"', '"file":"order.json"')
        : stdout.replace(/^malformed {2}-/, 'malformed  order.json');
    assert.ok(readme.includes(shown), shown);
  }
  const right = await runBaton(['check', 'examples/messages/aop-task.json']);
  assert.ok(readme.includes(right.stdout), right.stdout);
});

test('examples/library follows the events of a task in its own process', async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), 'baton-example-'));
  t.after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 10 }));
  const program = join(ROOT, 'examples', 'library', 'follow-a-task.mjs');
  const run = await runBaton([program], { program: process.execPath, environment: { TMPDIR: scratch } });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  assert.deepEqual([run.stdout.trim().split('\n').at(-1), readdirSync(scratch)], ['task.transitioned done', []]);
});

test('examples/external-agent takes part without being trusted, and is out when it is revoked', async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), 'baton-example-'));
  t.after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 10 }));
  const program = join(ROOT, 'examples', 'external-agent', 'take-part.mjs');
  const run = await runBaton([program], { program: process.execPath, environment: { TMPDIR: scratch } });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  assert.deepEqual([run.stdout.trim().split('\n').length, readdirSync(scratch)], [7, []]);
});

test('examples/three-nodes has work done by another node, verifies it and applies it', {
  skip: noBubblewrap,
}, async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), 'baton-example-'));
  t.after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 10 }));
  const program = join(ROOT, 'examples', 'three-nodes', 'share-work.mjs');
  const run = await runBaton([program], { program: process.execPath, environment: { TMPDIR: scratch } });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  const told = run.stdout.split('\n').filter((line) => /^(ok |NOT) /.test(line));
  assert.deepEqual([told.length, readdirSync(scratch)], [5, []]);
});

const STORIES = readdirSync(join(ROOT, 'examples')).filter((name) =>
  existsSync(join(ROOT, 'examples', name, 'run.mjs')),
);

for (const story of STORIES) {
  test(`examples/${story} runs, finds its own result right, and says what to do next`, async (t) => {
    const scratch = mkdtempSync(join(tmpdir(), 'baton-example-'));
    t.after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 10 }));
    const environment = { TMPDIR: scratch, INIT_CWD: ROOT };
    const run = await runBaton([join(ROOT, 'examples', story, 'run.mjs')], { program: process.execPath, environment });
    assert.equal(run.status, 0, run.stdout + run.stderr);
    const next = run.stdout.split('\n').flatMap((line) => /^ {2}[a-z ]+ {3}(\.\/bin\/baton .*)$/.exec(line)?.[1] ?? []);
    assert.equal(next.length, 5, run.stdout);
    const [open = ''] = next;
    for (const command of [...next, open.replace(' open ', ' down ')]) {
      const pasted = await runBaton(['-c', command], { program: '/bin/sh' });
      assert.equal(pasted.status, 0, `${command}\n${pasted.stdout}${pasted.stderr}`);
    }
  });
}
