import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../src/domain/words/json-object.ts';
import { type Codec, PROTOCOL_NAMES } from '../../src/protocols/codec.ts';
import { loadCodec } from '../../src/protocols/registry.ts';
import { hintsFor, validMessages } from '../support/message/valid-messages.ts';
import { SEED } from '../support/seed.ts';

const MESSAGES_A_KIND = 300;

for (const protocol of PROTOCOL_NAMES) {
  test(`${protocol}: what is encoded is decoded as it was (BATON_SEED=${SEED})`, async (context) => {
    const codec = await loadCodec(protocol);
    for (const kind of codec.kinds) {
      const messages = validMessages(codec, kind);
      if (!messages) continue;
      const comesBack = fc.property(messages, (message) => assertComesBack(codec, kind, message));
      await context.test(kind, () => fc.assert(comesBack, { seed: SEED, numRuns: MESSAGES_A_KIND }));
    }
  });
}

function assertComesBack(codec: Codec<unknown>, kind: string, message: JsonObject): void {
  const verdict = codec.decode(codec.encode(message), hintsFor(codec, kind, message));
  assert.equal(verdict.verdict, 'accepted', JSON.stringify(verdict));
  if (verdict.verdict !== 'accepted') return;
  assert.equal(verdict.kind, kind);
  assert.deepEqual(verdict.message, message);
}
