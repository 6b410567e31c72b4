import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Codec, PROTOCOL_NAMES } from '../../src/protocols/codec.ts';
import { fitsSchema } from '../../src/protocols/fits-schema.ts';
import { readJson } from '../../src/protocols/json-text.ts';
import { loadCodec } from '../../src/protocols/registry.ts';
import { findUnknownFields } from '../../src/protocols/unknown-fields.ts';
import { type Mutant, mutantOf, originsOf } from '../support/message/mutants.ts';
import { randomOf, SEED } from '../support/seed.ts';

const MUTATIONS = 10_000;

/** Its published schema is an untagged union, which is left to Zod; a decoder picks the branch itself. */
const LEFT_TO_ZOD = ['runtime/ack'];

for (const protocol of PROTOCOL_NAMES) {
  test(`${protocol}: what fits a schema is what Zod accepts without an unknown field (BATON_SEED=${SEED})`, async () => {
    const codec = await loadCodec(protocol);
    const origins = originsOf(codec, SEED);
    const fitting = { yes: 0, no: 0 };
    for (let index = 0; index < MUTATIONS; index++) {
      const mutant = mutantOf(codec, origins, randomOf(SEED, index));
      const fits = compare(codec, mutant);
      if (fits !== null) fitting[fits ? 'yes' : 'no']++;
    }
    assert.ok(fitting.yes > 100 && fitting.no > 100, JSON.stringify(fitting));
  });
}

/** Null for a text without a value or a kind. */
function compare(codec: Codec<unknown>, { text, hints, what }: Mutant): boolean | null {
  const verdict = codec.decode(text, hints);
  const schema = verdict.verdict === 'foreign' || verdict.kind === null ? undefined : codec.schemaOf(verdict.kind);
  const { value } = readJson(text);
  if (!schema || value === undefined || verdict.verdict === 'foreign') return null;
  const fits = fitsSchema(schema, value);
  if (LEFT_TO_ZOD.includes(`${codec.protocol}/${verdict.kind}`)) {
    assert.equal(fits, false);
    return fits;
  }
  const want = schema.safeParse(value).success && findUnknownFields(schema, value).length === 0;
  assert.equal(fits, want, `${codec.protocol}/${verdict.kind}, ${what}: ${text.slice(0, 2000)}`);
  return fits;
}
