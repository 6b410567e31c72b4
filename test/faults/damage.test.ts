import { test } from 'node:test';
import { tryDamage } from '../support/ledger/try-damage.ts';
import { suiteScratch } from '../support/test-ledger.ts';

suiteScratch();

for (const target of ['ledger', 'log'] as const) {
  test(`400 times bad bytes in a ${target}: it opens as it was or is refused and left alone`, async (context) => {
    context.diagnostic(await tryDamage(target, 400));
  });
}
