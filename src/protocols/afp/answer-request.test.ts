import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SEED } from '../../../test/support/seed.ts';
import type { Finding } from '../../domain/review/feedback.ts';
import { errorResponse, sentAnswer } from './answer-request.ts';
import { decodeAfp } from './decode.ts';
import { findingsOf } from './feedback-nouns.ts';
import { readAnswer } from './read-answer.ts';
import type { AfpResponse } from './schema.ts';

const TOPICS = [
  'The cache grows without a bound and is never evicted',
  'Errors of the disk are swallowed by an empty catch block',
  'Nothing is said about contrast of text on dark surfaces',
  'Two consumers race for one item because the lock comes late',
  'The migration rewrites the whole table under an exclusive lock',
  'Passwords are compared character by character and leak their length',
];
const area = (topic: number, id: string) => ({
  id,
  aspect: `Topic ${topic}`,
  description: TOPICS[topic] ?? '',
  recommendation: 'Change that.',
});
const response = (iteration: number, areas: readonly ReturnType<typeof area>[]): AfpResponse => ({
  protocol_version: '1.2',
  iteration,
  status: 'success',
  feedback: {
    confidence: { level: 'high', justification: 'x' },
    positive_points: [],
    areas_for_improvement: [...areas],
    general_summary: 'y',
  },
});
const about = (known: readonly Finding[] = [], ids?: readonly string[]) => ({
  iteration: 2,
  known,
  applied: ids && { items: ids.map((id) => ({ id, status: 'accepted' as const })) },
});

test('an error acknowledges the decisions of its request, and a request without any gets none', () => {
  const error = { code: 'INTERNAL_ERROR', message: 'No.' };
  const known = [area(0, 'known-finding-01')];
  assert.deepEqual(errorResponse(about(known, ['known-finding-01', 'unknown-01']), error), {
    protocol_version: '1.2',
    iteration: 2,
    status: 'error',
    applied_feedback_ack: {
      items: [
        { id: 'known-finding-01', processing_status: 'acknowledged' },
        { id: 'unknown-01', processing_status: 'unknown_id' },
      ],
    },
    error,
  });
  assert.equal('applied_feedback_ack' in errorResponse(about(), error), false);
});

test('what is sent is what the provider said, with own fields, but for ids and the acknowledgement', () => {
  const own = {
    ...response(2, [{ ...area(1, 'own-finding-01'), 'x-line': 3 } as never]),
    'x-model': 'm',
  } as AfpResponse;
  const { text, findings, error } = sentAnswer({ ...own, applied_feedback_ack: { items: [] } }, about());
  assert.deepEqual(JSON.parse(text), own);
  assert.deepEqual(findings, findingsOf(own));
  assert.equal(error, null);
});

test('a new finding under the id of another one gets an id of its own', () => {
  const known = [area(0, 'one-and-only-id')];
  const { findings } = sentAnswer(
    response(2, [area(3, 'one-and-only-id'), area(4, 'one-and-only-id-2')]),
    about(known),
  );
  assert.deepEqual(
    findings.map(({ id }) => id),
    ['one-and-only-id-3', 'one-and-only-id-2'],
  );
  const long = 'x'.repeat(128);
  const { findings: cut } = sentAnswer(response(2, [area(3, long)]), about([area(0, long)]));
  assert.deepEqual(
    cut.map(({ id }) => id),
    [`${'x'.repeat(126)}-2`],
  );
});

test('over any iterations: a topic keeps its id, ids are unique and valid, every id that was given is acknowledged', () => {
  const rounds = fc.array(
    fc.uniqueArray(
      fc.record({ topic: fc.integer({ min: 0, max: TOPICS.length - 1 }), name: fc.integer({ min: 0, max: 5 }) }),
      {
        selector: ({ topic }) => topic,
        maxLength: TOPICS.length,
      },
    ),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(rounds, (all) => {
      const idOf = new Map<number, string>();
      let known: readonly Finding[] = [];
      all.forEach((round, at) => {
        // Ids as a careless reviewer gives them: they name other topics in other rounds.
        const names = new Set<number>();
        const areas = round.flatMap(({ topic, name }) => {
          if (names.has(name)) return [];
          names.add(name);
          return [area(topic, `finding-number-${name}`)];
        });
        const ids = [...known.map(({ id }) => id), 'never-given-id'];
        const { text, findings } = sentAnswer(response(at + 1, areas), { ...about(known, ids), iteration: at + 1 });
        const reading = readAnswer([text], at + 1);
        assert.equal(reading.kind, 'answer');
        const ack = reading.kind === 'answer' ? (reading.response.applied_feedback_ack?.items ?? []) : [];
        assert.deepEqual(
          ack.map(({ id, processing_status: status }) => [id, status]),
          ids.map((id) => [id, id === 'never-given-id' ? 'unknown_id' : 'acknowledged']),
        );
        for (const { id, description } of findings) {
          const topic = TOPICS.indexOf(description);
          assert.equal(idOf.get(topic) ?? id, id);
          idOf.set(topic, id);
        }
        assert.equal(new Set(idOf.values()).size, idOf.size);
        known = [...known.filter((old) => !findings.some(({ id }) => id === old.id)), ...findings];
      });
    }),
    { seed: SEED, numRuns: 300 },
  );
});

const one = JSON.stringify(response(1, []));
const READ: readonly (readonly [what: string, texts: readonly string[], found: string])[] = [
  ['nothing', [], 'there is no Response Object in the answer'],
  ['prose', ['All good.'], 'there is no Response Object in the answer'],
  ['the last of two', [one, JSON.stringify({ ...JSON.parse(one), 'x-last': true })], 'answer'],
  ['a fence', [`Here:\n~~~json\n${one}\n~~~`], 'answer'],
  ['another iteration', [JSON.stringify(response(3, []))], 'iteration: is 3, and the request has 1'],
  ['a right one before a wrong one', [one, JSON.stringify(response(3, []))], 'answer'],
  ['a success without feedback', [JSON.stringify({ ...JSON.parse(one), feedback: undefined })], 'status is success'],
  ['two findings of one id', [JSON.stringify(response(1, [area(0, 'equal-id'), area(1, 'equal-id')]))], 'equal-id'],
  ['a response with a session', [JSON.stringify({ ...JSON.parse(one), 'x-session-id': 's' })], 'x-session-id'],
  ['a request', ['{"protocol_version":"1.2","iteration":1,"artifact":{}}'], 'there is no Response Object'],
  ['half a response', [one.slice(0, -5)], ''],
  ['prose around it', [`Here: ${one}`], 'there is no Response Object in the answer'],
  ['prose after it', [`${one} Bye.`], ''],
];

for (const [what, texts, found] of READ) {
  test(`the reader of an answer takes ${what} for: ${found || 'a fault of JSON'}`, () => {
    const reading = readAnswer(texts, 1);
    if (found === 'answer') return assert.equal(reading.kind, 'answer');
    assert.equal(reading.kind, 'none');
    if (reading.kind === 'none')
      assert.ok(
        reading.problems.some(({ message }) => message.includes(found)),
        JSON.stringify(reading),
      );
  });
}

test('nothing that a provider says breaks the reader', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.json()), { maxLength: 5 }), (texts) => {
      for (const text of texts) decodeAfp(text, { kind: 'response' });
      assert.equal(readAnswer(texts, 1).kind, 'none');
    }),
    { seed: SEED },
  );
});
