import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sampleTask } from '../../../test/support/message/aop-samples.ts';
import { aopCodec } from './codec.ts';

it('knows every kind of common:kinds, in the order of the document, and a schema for all but V1', () => {
  assert.deepEqual(aopCodec.kinds, [
    'TASK',
    'RESPONSE',
    'HEARTBEAT',
    'PROGRESS_UPDATE',
    'PRIORITY_ESCALATION',
    'ROLLBACK_INITIATED',
    'VERSION_FALLBACK',
    'SESSION_FINAL_REPORT',
    'V1',
  ]);
  assert.deepEqual(
    aopCodec.kinds.filter((kind) => aopCodec.schemaOf(kind) === undefined),
    ['V1'],
  );
  for (const kind of ['task', '', 'toString', '__proto__']) assert.equal(aopCodec.schemaOf(kind), undefined);
});

it('judges a value as it judges its text', () => {
  for (const value of [sampleTask(), { ...sampleTask(), zz: 1 }, {}, [], null]) {
    assert.deepEqual(aopCodec.decodeValue(value), aopCodec.decode(JSON.stringify(value)));
  }
});
