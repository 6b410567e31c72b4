import { test } from 'node:test';
import { PROTOCOL_NAMES } from '../../src/protocols/codec.ts';
import { judgeMutants } from '../support/message/judge-mutants.ts';
import { SEED } from '../support/seed.ts';

const MUTATIONS = Number(process.env.BATON_MUTATIONS ?? 10_000);

for (const protocol of PROTOCOL_NAMES) {
  test(`${protocol}: of ${MUTATIONS} mutated messages none is judged wrongly (BATON_SEED=${SEED})`, async (context) => {
    const { origins, verdicts, p99Ms } = await judgeMutants(protocol, MUTATIONS);
    context.diagnostic(`from ${origins} messages: ${JSON.stringify(verdicts)}, p99 ${p99Ms.toFixed(2)} ms`);
  });
}
