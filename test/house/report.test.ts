import assert from 'node:assert/strict';
import { test } from 'node:test';
import { report } from '../../scripts/test-report.mjs';

const FILE = '/repo/src/a.test.ts';

async function reported(...events: Array<{ type: string; data: object }>) {
  let output = '';
  async function* stream() {
    for (const { type, data } of events)
      yield { type, data: { file: FILE, nesting: 0, name: 'a test', details: {}, ...data } };
  }
  const { failedFiles, ...totals } = await report(stream(), '/repo', (text: string) => {
    output += text;
  });
  return { totals, output, failedFiles };
}

test('suites and the tests around failed ones are not counted', async () => {
  const { totals } = await reported(
    { type: 'test:pass', data: {} },
    { type: 'test:pass', data: { details: { type: 'suite' } } },
    { type: 'test:fail', data: { nesting: 1, details: { error: new Error('no') } } },
    { type: 'test:fail', data: { details: { error: { failureType: 'subtestsFailed' } } } },
  );
  assert.deepEqual(totals, { passed: 1, failed: 1, skipped: 0 });
});

test('a skip is listed with its reason, and fails without one', async () => {
  const { totals, output } = await reported(
    { type: 'test:pass', data: { skip: 'needs a browser' } },
    { type: 'test:pass', data: { skip: true } },
  );
  assert.deepEqual(totals, { passed: 0, failed: 1, skipped: 1 });
  assert.match(output, /- src\/a\.test\.ts › a test: needs a browser/);
  assert.match(output, /skipped without a reason/);
});

test('a file without a test fails', async () => {
  const { totals } = await reported({ type: 'test:pass', data: { name: 'a.test.ts' } });
  assert.deepEqual(totals, { passed: 0, failed: 1, skipped: 0 });
});

test('the files that failed are named once each', async () => {
  const { failedFiles } = await reported(
    { type: 'test:pass', data: { file: '/repo/src/b.test.ts' } },
    { type: 'test:fail', data: { details: { error: new Error('no') } } },
    { type: 'test:fail', data: { details: { error: new Error('no') } } },
  );
  assert.deepEqual(failedFiles, [FILE]);
});

test('a failure is shown in full, with what the file printed', async () => {
  const error = new Error('wrapper', { cause: new Error('the ledger is closed') });
  const { output } = await reported(
    { type: 'test:stdout', data: { file: 'src/a.test.ts', message: 'hello\n' } },
    { type: 'test:fail', data: { details: { error } } },
  );
  assert.match(output, /✗ src\/a\.test\.ts › a test\n {4}Error: the ledger is closed\n {8}at /);
  assert.match(output, /\| hello/);
});

test('times are told by folder and of the slowest files, that of the process included', async () => {
  const done = (file: string, duration_ms: number) => ({ type: 'test:summary', data: { file, duration_ms } });
  const other = '/repo/test/e2e/b.test.ts';
  const { output } = await reported(
    { type: 'test:pass', data: {} },
    done(FILE, 700),
    { type: 'test:pass', data: { file: other } },
    done(other, 1_000),
    { type: 'test:complete', data: { file: other, name: other, details: { duration_ms: 1_234 } } },
    { type: 'test:pass', data: { file: '/repo/test/e2e/c.test.ts' } },
    done('/repo/test/e2e/c.test.ts', 800),
  );
  const [, folders = '', files = ''] = /by folder.*:\n(.*)\nslowest files:\n(.*)/s.exec(output) ?? [];
  assert.equal(folders, '     2.0 s  test/e2e\n     0.7 s  src\n');
  assert.equal(files, '     1.2 s  test/e2e/b.test.ts\n     0.8 s  test/e2e/c.test.ts\n     0.7 s  src/a.test.ts\n');
});

test('failures are listed again at the end, after the files that ran later', async () => {
  const { output } = await reported(
    { type: 'test:fail', data: { details: { error: new Error('the ledger is closed') } } },
    { type: 'test:summary', data: { duration_ms: 5 } },
    { type: 'test:pass', data: { skip: 'needs a browser' } },
  );
  const tail = output.slice(output.indexOf('skipped:'));
  assert.match(tail, /failed:\n✗ src\/a\.test\.ts › a test\n {4}Error: the ledger is closed/);
});
