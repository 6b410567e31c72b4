import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { output, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { TestDaemon } from '../../support/test-daemon.ts';
import { noBubblewrap } from '../../support/test-process.ts';

/** With so many descriptors, and without those that whoever started the tests left open. */
const CLOSE = 'for fd in $(ls /proc/self/fd); do [ $fd -gt 2 ] && eval "exec $fd>&-"; done; exec "$@"';
const allowed = (files: number) => ['bash', '-c', CLOSE, 'bash', 'prlimit', `--nofile=${files}:${files}`];
const PROGRAM = join(import.meta.dirname, '..', '..', 'support', 'agent', 'out-of-descriptors.ts');

for (const left of [2, 12]) {
  test(`with ${left} descriptors left what cannot be started is told so, and later it can`, async () => {
    const [shell = '', ...words] = allowed(128);
    const { stdout } = await promisify(execFile)(shell, [...words, process.execPath, PROGRAM, String(left)]);
    const { during, after, leaked } = JSON.parse(stdout) as { during: unknown[]; after: unknown[]; leaked: number };
    assert.deepEqual([after, leaked], [['exited', 0], 0], stdout);
    for (const end of during) assert.match(String(end), /^(exited|0|not-made|not-started.*)$/, stdout);
  });
}

test('a node with few descriptors delays or refuses work, and stays', { skip: noBubblewrap }, async () => {
  const stage = await RunStage.alone('few-descriptors');
  const daemon = TestDaemon.spawnBy(allowed(72), stage.data.path);
  assert.ok(await daemon.isUp(), daemon.stderr);
  const before = readdirSync(`/proc/${daemon.facts.pid}/fd`).length;
  const made = { task: { expected_outputs: [output('a.txt')] } };
  const submit = () => {
    const { root: workspace } = stage.repository();
    return daemon.client.submitOrder({ text: JSON.stringify(taskFor('completes', workspace, made)), workspace });
  };
  const answers = await Promise.all(Array.from({ length: 6 }, () => submit().catch(() => null)));
  const taken = answers.flatMap((answer) => (answer === null || isRefusal(answer) ? [] : [answer.task.id]));
  const reports = await Promise.all(
    taken.map(async (id) => {
      let report = await daemon.client.orderReport({ task: id });
      await until(async () => {
        report = await daemon.client.orderReport({ task: id }).catch(() => report);
        return isRefusal(report) || report.isOver;
      });
      assert.ok(!isRefusal(report));
      return report;
    }),
  );
  for (const { signal, response } of reports) {
    const told = JSON.stringify(response?.error_details ?? '');
    assert.ok(signal === 'SUCCESS' || /EMFILE|descriptor|did not start|E_/.test(told), told);
  }
  await until(() => readdirSync(`/proc/${daemon.facts.pid}/fd`).length <= before + 5);
  const last = await submit();
  assert.ok(!isRefusal(last), JSON.stringify(last));
  await until(async () => {
    const report = await daemon.client.orderReport({ task: last.task.id });
    return !isRefusal(report) && report.signal === 'SUCCESS' && report.isOver;
  });
  assert.equal((await daemon.end()).status, 0, daemon.stderr);
});
