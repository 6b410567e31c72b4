import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleTask } from '../../../test/support/message/aop-samples.ts';
import { decodeAop } from './decode.ts';
import { encodeAop } from './encode.ts';
import { encodeVersionFallback } from './encode-event.ts';
import { type FallbackFacts, noteFallback } from './version-fallback.ts';

const makeVersionFallback = (facts: FallbackFacts) => encodeVersionFallback(noteFallback(facts));

const timestamp = '2026-02-26T14:00:00.000Z';

function specOf(text: string, value: unknown): FallbackFacts {
  const verdict = decodeAop(text);
  const errors = verdict.verdict === 'malformed' ? verdict.errors : [];
  return { reason: 'invalid-message', value, text, errors, timestamp };
}

describe('VERSION_FALLBACK', () => {
  it('has the fields of aop:version-fallback, in their order', () => {
    const broken = { ...sampleTask(), guard_rails: {}, task: { ...sampleTask().task, complexity: 'HUGE' } };
    const text = JSON.stringify(broken);
    const event = makeVersionFallback(specOf(text, broken));
    assert.deepEqual(event, {
      aop_version: '2.0.2-C',
      message_type: 'EVENT',
      event: 'VERSION_FALLBACK',
      session_id: 'AOP-SESSION-1',
      task_id: 'T-1',
      timestamp,
      reason: 'V2_SCHEMA_VALIDATION_FAILED',
      from_version: '2.0.2-C',
      to_version: '1.x',
      errors: [
        {
          path: '/task/complexity',
          message: 'task.complexity: "HUGE" is not one of LOW, MEDIUM, HIGH, CRITICAL',
        },
      ],
      input_preview: text.slice(0, 200),
      features_lost: ['structured_response', 'guard_rails'],
    });
    assert.equal(encodeAop(event), JSON.stringify(event));
  });

  const values: [string, unknown][] = [
    ['a TASK', sampleTask()],
    ['a TASK whose ids cannot be used', { session: { session_id: '' }, task: { task_id: 'a'.repeat(129) } }],
    [
      'ids of 128 characters of four bytes',
      { session: { session_id: '😀'.repeat(128) }, task: { task_id: '😀'.repeat(129) } },
    ],
    ['ids that are no text', { session: { session_id: 7 }, task: [] }],
    ['a version that is no text', { aop_version: 7 }],
    ['nothing', {}],
    ['a list', []],
    ['no value', null],
  ];
  for (const [name, value] of values) {
    it(`made of ${name}, it is itself accepted`, () => {
      const text = JSON.stringify(value);
      const event = makeVersionFallback(specOf(text, value));
      const verdict = decodeAop(encodeAop(event));
      assert.deepEqual(verdict, { verdict: 'accepted', kind: 'VERSION_FALLBACK', message: event, warnings: [] });
    });
  }

  it('ids that can be read are told', () => {
    const id = '😀'.repeat(128);
    assert.equal(makeVersionFallback(specOf('{}', { session: { session_id: id } })).session_id, id);
  });

  it('previews 200 characters and parts none', () => {
    const preview = (text: string) => makeVersionFallback(specOf(text, null)).input_preview;
    assert.equal(preview('a'.repeat(201)), 'a'.repeat(200));
    assert.equal(preview('😀'.repeat(201)), '😀'.repeat(200));
    assert.equal(preview(`a${'😀'.repeat(300)}`), `a${'😀'.repeat(199)}`);
    assert.equal(preview('short'), 'short');
  });
});
