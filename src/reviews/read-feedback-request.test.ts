import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixtureAgent } from '../../test/support/agent/a-launch.ts';
import { replayFeedbackSession } from '../domain/review/feedback-session.ts';
import { readRequest } from './read-feedback-request.ts';

const ARTIFACT = { media_type: 'text/plain', content: 'a' };
const REQUEST = { protocol_version: '1.2', iteration: 1, artifact: ARTIFACT };
const NEW = replayFeedbackSession([{ kind: 'opened', agent: 'critic', workspace: '/ws', terms: null, at: 0 }]);

/** The code and the iteration of the answer, or the kind of a request that is taken. */
function read(request: unknown, mediaTypes?: readonly string[]): unknown {
  const text = typeof request === 'string' ? request : JSON.stringify(request);
  const agent = { ...fixtureAgent('completes'), ...(mediaTypes && { mediaTypes }) };
  const found = readRequest({ text }, { agent, known: NEW });
  return found.kind === 'request' ? 'request' : [JSON.parse(found.text).error.code, found.iteration];
}

test('a request that breaks the rules is answered with INVALID_REQUEST, under its own number or the one that is due', () => {
  assert.equal(read(REQUEST), 'request');
  assert.deepEqual(read({ ...REQUEST, protocol_version: '1.1' }), ['INVALID_REQUEST', 1]);
  assert.deepEqual(read({ ...REQUEST, sessionID: 'ses_1' }), ['INVALID_REQUEST', 1]);
  assert.deepEqual(read({ ...REQUEST, 'x-session-id': 'ses_1' }), ['INVALID_REQUEST', 1]);
  assert.deepEqual(read({ ...REQUEST, iteration: 1.5 }), ['INVALID_REQUEST', 1]);
  assert.deepEqual(read({ ...REQUEST, iteration: 2 }), ['INVALID_REQUEST', 2]);
  assert.deepEqual(read('please review'), ['INVALID_REQUEST', 0]);
});

test('a media type that the agent does not list is answered with UNSUPPORTED_MEDIA_TYPE', () => {
  const image = { ...REQUEST, artifact: { media_type: 'image/png', content: 'iVBORw0=' } };
  assert.deepEqual(read(image), ['UNSUPPORTED_MEDIA_TYPE', 1]);
  assert.equal(read(image, ['image/*']), 'request');
  assert.deepEqual(read(REQUEST, ['image/*']), ['UNSUPPORTED_MEDIA_TYPE', 1]);
});
