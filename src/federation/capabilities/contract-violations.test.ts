import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anAnswer } from '../../../test/support/run/an-execution.ts';
import type { UsedCapability } from '../../domain/federation/capability-review.ts';
import type { ReceiverAnswer } from '../../domain/remote/receiver-answer.ts';
import { MemoryStore } from '../memory/memory-store.ts';
import { MemoryTransport } from '../memory/memory-transport.ts';
import { KEYS, writeOwn } from '../records.ts';
import { contractViolations } from './contract-violations.ts';

const SCHEMA = { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } };
const used = (capabilityId: string) => ({ capabilityId }) as UsedCapability;

test('a result breaks the contract of its capability where it does not fit the schema, or does not come', async () => {
  const transport = new MemoryTransport(new MemoryStore(() => 0), 'left');
  await writeOwn(transport, KEYS.contract('cap.a'), JSON.stringify({ ref: 'schema://f/cap.a/1', schema: SCHEMA }));
  const broken = async (answer: Partial<ReceiverAnswer>) => {
    const found = await contractViolations(transport, [used('cap.a'), used('cap.free')], anAnswer(answer));
    return found.map(({ capability, violation }) => `${capability.capabilityId}: ${violation}`);
  };
  const resultRef = 'result.json';
  assert.deepEqual(await broken({ resultRef, output: { count: 3 } }), []);
  assert.match((await broken({ resultRef, output: { count: 'three' } })).join(), /^cap\.a: \/count: /);
  assert.deepEqual(await broken({ resultRef }), ['cap.a: result.json did not come along']);
  assert.deepEqual(await broken({}), ['cap.a: it names no result']);
});
