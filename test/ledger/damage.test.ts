import { test } from 'node:test';
import { tryDamage } from '../support/ledger/try-damage.ts';
import { suiteScratch } from '../support/test-ledger.ts';

// Asked for before any test runs, so that it goes after the last of them and not after the first.
suiteScratch();

for (const target of ['ledger', 'log'] as const) {
  test(`a ${target} with bad bytes opens as it was or is refused and left alone, never emptied`, async (context) => {
    context.diagnostic(await tryDamage(target, 40));
  });
}
