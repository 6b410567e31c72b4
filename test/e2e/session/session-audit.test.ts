import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TrailVerdict } from '../../../src/checks/audit-trail.ts';
import { linesOf } from '../../support/run-baton.ts';
import { output, RunStage } from '../../support/run-stage.ts';
import { type SessionRun, SessionStage, sessionFor } from '../../support/session/session-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new SessionStage(await RunStage.up('session-audit'));

interface AuditFile {
  readonly sequence: number;
  readonly record_type: string;
  readonly task_id: string | null;
  readonly previous_sha256: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

const name = (sequence: number) => `${String(sequence).padStart(6, '0')}.json`;
const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

describe('the audit trail of a session', { skip: noBubblewrap }, () => {
  let run: SessionRun;
  let trail = '';

  before(async () => {
    const { root } = stage.stage.repository();
    const tasks = sessionFor(
      root,
      {
        a: { agent: 'completes', task: { expected_outputs: [output('a.txt')] } },
        b: { agent: 'crashes', after: ['a'] },
        c: { agent: 'completes', after: ['b'] },
      },
      { workflow_pattern: 'PARALLEL' },
    );
    run = await stage.run(tasks);
    trail = join(stage.stage.data.path, String(run.report.audit_trail?.storage_path));
    cpSync(dirname(trail), `${dirname(trail)}.kept`, { recursive: true });
  });

  after(() => rmSync(`${dirname(trail)}.kept`, { recursive: true, force: true, maxRetries: 10 }));

  async function audit(): Promise<TrailVerdict & { readonly exit: number | null }> {
    const ended = await stage.stage.data.run(['session', 'audit', run.report.session_id, '--json']);
    return { ...(linesOf<TrailVerdict>(ended)[0] as TrailVerdict), exit: ended.status };
  }

  function restore(): void {
    rmSync(dirname(trail), { recursive: true });
    cpSync(`${dirname(trail)}.kept`, dirname(trail), { recursive: true });
  }

  test('each record has the hash of the file before it, and the final report that of the last', async () => {
    const names = readdirSync(trail).sort();
    const records = names.map((each) => JSON.parse(readFileSync(join(trail, each), 'utf8')) as AuditFile);
    assert.deepEqual(
      names,
      records.map((_, at) => name(at + 1)),
    );
    for (const [at, record] of records.entries()) {
      assert.equal(record.sequence, at + 1);
      assert.equal(record.previous_sha256, at === 0 ? null : hash(join(trail, name(at))));
    }
    const { records: count, sha256 } = run.report.audit_trail ?? {};
    assert.deepEqual([count, sha256], [names.length, hash(join(trail, name(names.length)))]);
    const told = (type: string) => records.filter((each) => each.record_type === type).map(({ task_id }) => task_id);
    assert.deepEqual(told('TASK_DISPATCHED'), ['a', 'b']);
    assert.deepEqual(told('RESPONSE_RECEIVED').sort(), ['a', 'b', 'c']);
    assert.deepEqual(told('ROUTING_DECISION').sort(), ['a', 'b', 'c']);
    assert.ok(told('GUARD_RAIL_CHECK').includes('a'));
    assert.deepEqual(records.at(-1)?.data.totals, run.report.totals);
    const { verdict, head, firstBad, exit } = await audit();
    assert.deepEqual([verdict, head, firstBad, exit], ['intact', sha256, null, 0]);
  });

  const changes: Readonly<Record<string, readonly [change: (last: number) => void, bad: (last: number) => string]>> = {
    'a changed record': [
      () =>
        writeFileSync(
          join(trail, name(2)),
          readFileSync(join(trail, name(2)), 'utf8').replace('"actor":"', '"actor":"x'),
        ),
      () => `audit/${name(2)}`,
    ],
    'a changed last record': [
      (last) => writeFileSync(join(trail, name(last)), `${readFileSync(join(trail, name(last)), 'utf8')} `),
      (last) => `audit/${name(last)}`,
    ],
    'a changed link': [
      () =>
        writeFileSync(
          join(trail, name(3)),
          readFileSync(join(trail, name(3)), 'utf8').replace(/previous_sha256":"./, 'previous_sha256":"_'),
        ),
      () => `audit/${name(3)}`,
    ],
    'a record that is gone': [() => rmSync(join(trail, name(2))), () => `audit/${name(2)}`],
    'a last record that is gone': [(last) => rmSync(join(trail, name(last))), (last) => `audit/${name(last)}`],
    'an added record': [
      (last) => cpSync(join(trail, name(last)), join(trail, name(last + 1))),
      (last) => `audit/${name(last + 1)}`,
    ],
    'a file that is no record': [() => writeFileSync(join(trail, 'note.txt'), 'x'), () => 'audit/note.txt'],
    'records in another order': [
      () => {
        renameSync(join(trail, name(2)), join(trail, 'kept'));
        renameSync(join(trail, name(3)), join(trail, name(2)));
        renameSync(join(trail, 'kept'), join(trail, name(3)));
      },
      () => `audit/${name(2)}`,
    ],
    'a record that is no JSON': [() => writeFileSync(join(trail, name(1)), '{'), () => `audit/${name(1)}`],
    'a changed head': [
      () => {
        const file = join(dirname(trail), 'audit_head.json');
        const head = JSON.parse(readFileSync(file, 'utf8')) as { records: number };
        writeFileSync(file, JSON.stringify({ ...head, records: head.records - 1 }));
      },
      () => 'audit_head.json',
    ],
    'a head that is gone': [() => rmSync(join(dirname(trail), 'audit_head.json')), () => 'audit_head.json'],
  };
  for (const [what, [change, bad]] of Object.entries(changes)) {
    test(`${what} is named, exit 1`, async () => {
      const last = readdirSync(trail).length;
      change(last);
      const { verdict, firstBad, exit } = await audit();
      restore();
      assert.deepEqual([verdict, firstBad?.file, exit], ['broken', bad(last), 1], firstBad?.reason);
    });
  }

  test('a session that is retried keeps its earlier records as they were, and the trail goes on after them', async () => {
    const kept = readdirSync(trail).sort();
    const hashes = kept.map((each) => hash(join(trail, each)));
    await stage.stage.data.run(['session', 'retry', run.report.session_id, '--json']);
    const { verdict, records } = await audit();
    assert.equal(verdict, 'intact');
    assert.ok(records > kept.length, `${records} records`);
    assert.deepEqual(
      kept.map((each) => hash(join(trail, each))),
      hashes,
    );
  });
});
