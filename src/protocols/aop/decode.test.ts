import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleResponse, sampleTask } from '../../../test/support/message/aop-samples.ts';
import type { Verdict } from '../codec.ts';
import { decodeAop, decodeAopValue } from './decode.ts';
import { encodeAop } from './encode.ts';

function decodeMessage(message: unknown): Verdict<unknown> {
  return decodeAop(JSON.stringify(message));
}

function codeOf(verdict: Verdict<unknown>): string | null {
  return verdict.verdict === 'malformed' ? verdict.code : null;
}

function errorsOf(verdict: Verdict<unknown>): string[] {
  return verdict.verdict === 'malformed' ? verdict.errors.map(({ path, message }) => `${path} ${message}`) : [];
}

describe('AOP versions', () => {
  const strange = { zz: 1, task: { ...sampleTask().task, yy: { a: 1 } } };

  for (const version of ['2.0.0', '2.0.1-M', '2.0.1-E', '2.0.2-C']) {
    it(`${version}: an unknown field is an error`, () => {
      assert.equal(decodeMessage({ ...sampleTask(), aop_version: version }).verdict, 'accepted');
      const verdict = decodeMessage({ ...sampleTask(), ...strange, aop_version: version });
      assert.equal(codeOf(verdict), 'E_SCHEMA_VALIDATION');
      assert.deepEqual(
        errorsOf(verdict).map((error) => error.split(' ')[0]),
        ['/task/yy', '/zz'],
      );
    });
  }

  for (const version of ['2.', '2.0', '2.0.2', '2.0.2-c', '2.1.0', '2.99-X']) {
    it(`${version}: an unknown field is dropped with a warning, the rest is judged as 2.0.2-C`, () => {
      const verdict = decodeMessage({ ...sampleTask(), ...strange, aop_version: version });
      assert.ok(verdict.verdict === 'accepted');
      assert.deepEqual(verdict.message, { ...sampleTask(), aop_version: version });
      assert.deepEqual(
        verdict.warnings.map(({ code, path }) => [code, path]),
        [
          ['unknown_field', '/task/yy'],
          ['unknown_field', '/zz'],
        ],
      );
      assert.equal(codeOf(decodeMessage({ ...sampleTask(), target: {}, aop_version: version })), 'E_SCHEMA_VALIDATION');
    });
  }

  for (const version of ['1.0', '1.x', '3.0.0', '20.0', ' 2.0', 'v2.0', '', 2, null, ['2.0']]) {
    it(`${JSON.stringify(version)}: foreign, with a warning that names the field`, () => {
      const verdict = decodeMessage({ ...sampleTask(), aop_version: version });
      assert.equal(verdict.verdict, 'foreign');
      assert.deepEqual(
        verdict.warnings.map(({ path, code }) => [path, code]),
        [['/aop_version', 'unsupported_aop_version']],
      );
    });
  }

  it('none at all: foreign, with a warning that names the field', () => {
    const { aop_version: _, ...rest } = sampleTask();
    const verdict = decodeMessage(rest);
    assert.equal(verdict.verdict, 'foreign');
    assert.deepEqual(
      verdict.warnings.map(({ path, code }) => [path, code]),
      [['/aop_version', 'missing_aop_version']],
    );
  });

  it('lists and scalars are of no protocol', () => {
    for (const text of ['[]', `[${JSON.stringify(sampleTask())}]`, '7', '"text"', 'null', '']) {
      assert.deepEqual(decodeAop(text), { verdict: 'foreign', warnings: [] }, text);
    }
    assert.equal(decodeAopValue(undefined).verdict, 'foreign');
  });
});

describe('AOP kinds and codes', () => {
  const header = { aop_version: '2.0.2-C', schema_version: '2.0.2', protocol_family: 'AOP' };
  const rows: [name: string, text: string, kind: string | null, code: string, path: string][] = [
    ['half a message', '{"aop_version":"2.0.2-C"', null, 'E_PARSE_FAILURE', ''],
    ['a repeated key', `{"aop_version":"2.0","message_type":"TASK","a":1,"a":1}`, 'TASK', 'E_PARSE_FAILURE', '/a'],
    ['a message without a type', JSON.stringify(header), null, 'E_SCHEMA_VALIDATION', '/message_type'],
    [
      'a type that does not exist',
      JSON.stringify({ ...header, message_type: 'ORDER' }),
      null,
      'E_SCHEMA_VALIDATION',
      '/message_type',
    ],
    [
      'an event without a name',
      JSON.stringify({ ...header, message_type: 'EVENT' }),
      null,
      'E_SCHEMA_VALIDATION',
      '/event',
    ],
    [
      'an event that does not exist',
      JSON.stringify({ ...header, message_type: 'EVENT', event: 'PING' }),
      null,
      'E_SCHEMA_VALIDATION',
      '/event',
    ],
    [
      'a type that every object has',
      JSON.stringify({ ...header, message_type: 'EVENT', event: 'toString' }),
      null,
      'E_SCHEMA_VALIDATION',
      '/event',
    ],
    [
      'an empty event',
      JSON.stringify({ ...header, message_type: 'EVENT', event: 'HEARTBEAT' }),
      'HEARTBEAT',
      'E_SCHEMA_VALIDATION',
      '/session_id',
    ],
    [
      'an empty response',
      JSON.stringify({ ...header, message_type: 'RESPONSE' }),
      'RESPONSE',
      'E_MALFORMED_RESPONSE',
      '/session_id',
    ],
    [
      'a TASK with a task_status',
      JSON.stringify({ ...sampleTask(), task_status: { state: 'PENDING' } }),
      'TASK',
      'E_SCHEMA_VALIDATION',
      '/task_status',
    ],
    [
      'extensions without x_',
      JSON.stringify({ ...sampleTask(), extensions: { vendor: 1 } }),
      'TASK',
      'E_SCHEMA_VALIDATION',
      '/extensions/vendor',
    ],
  ];
  for (const [name, text, kind, code, path] of rows) {
    it(name, () => {
      const verdict = decodeAop(text);
      assert.ok(verdict.verdict === 'malformed');
      assert.deepEqual([verdict.kind, verdict.code, verdict.errors[0]?.path], [kind, code, path]);
    });
  }

  it('errors are for people, and in the order of the message', () => {
    const { task_id: _, ...task } = sampleTask().task;
    const verdict = decodeMessage({ ...sampleTask(), zz: 1, task: { ...task, complexity: 'HUGE', attempt: 0 } });
    assert.deepEqual(errorsOf(verdict), [
      '/task/complexity task.complexity: "HUGE" is not one of LOW, MEDIUM, HIGH, CRITICAL',
      '/task/attempt task.attempt: 0 must be at least 1',
      '/task/task_id task.task_id: is required',
      '/zz zz: is not a known field',
    ]);
  });

  it('an optional field may be null, a required one may not', () => {
    assert.equal(decodeMessage(sampleTask({ priority: null, inputs: null, budgets: null })).verdict, 'accepted');
    assert.equal(decodeMessage(sampleTask({ objective: null as never })).verdict, 'malformed');
  });

  it('what goes out has the order of the document, whatever it was built in', () => {
    const task = sampleTask();
    const { aop_version, ...rest } = task;
    assert.equal(encodeAop({ ...rest, aop_version } as typeof task), JSON.stringify(task));
  });
});

describe('AOP §5: guard rails on a RESPONSE', () => {
  const both = { requireFinalSignal: true, requireMinimalReport: true };
  const bare = { ...sampleResponse(), task_status: { state: 'COMPLETED' }, execution_summary: null };
  const broken: [name: string, message: unknown, paths: string[]][] = [
    ['no final signal', { ...sampleResponse(), task_status: { state: 'COMPLETED' } }, ['/task_status/final_signal']],
    [
      'a final signal of null',
      { ...sampleResponse(), task_status: { state: 'COMPLETED', final_signal: null } },
      ['/task_status/final_signal'],
    ],
    ['no report', { ...sampleResponse(), execution_summary: undefined }, ['/execution_summary']],
    [
      'an empty summary',
      { ...sampleResponse(), execution_summary: { summary: '', actions: ['a'] } },
      ['/execution_summary/summary'],
    ],
    [
      'no actions',
      { ...sampleResponse(), execution_summary: { summary: 's', actions: [] } },
      ['/execution_summary/actions'],
    ],
    ['nothing at all', bare, ['/task_status/final_signal', '/execution_summary']],
  ];
  for (const [name, message, paths] of broken) {
    it(`${name}: malformed with both on, accepted with both off`, () => {
      const text = JSON.stringify(message);
      const verdict = decodeAop(text, both);
      assert.ok(verdict.verdict === 'malformed');
      assert.equal(verdict.code, 'E_MALFORMED_RESPONSE');
      assert.deepEqual(verdict.errors.map(({ path }) => path).sort(), [...paths].sort());
      assert.equal(decodeAop(text, { requireFinalSignal: false, requireMinimalReport: false }).verdict, 'accepted');
      assert.deepEqual(decodeAop(text), verdict, 'both are on by default');
    });
  }

  it('each is turned off alone', () => {
    const text = JSON.stringify(bare);
    const paths = (requireFinalSignal: boolean, requireMinimalReport: boolean) =>
      errorsOf(decodeAop(text, { requireFinalSignal, requireMinimalReport })).map((error) => error.split(' ')[0]);
    assert.deepEqual(paths(false, true), ['/execution_summary']);
    assert.deepEqual(paths(true, false), ['/task_status/final_signal']);
  });
});
