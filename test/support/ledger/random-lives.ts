import fc from 'fast-check';
import { SEED } from '../seed.ts';
import { openTestLedger } from '../test-ledger.ts';
import { StepPlayer, someTurns } from './play-steps.ts';

/** Several agents ask whatever, in whatever order; a failure is shrunk and printed with its seed. */
export async function playRandomLives(runs: number): Promise<void> {
  const property = fc.asyncProperty(someTurns, async (turns) => {
    const at = openTestLedger();
    await new StepPlayer(at).play(turns);
    at.ledger.close();
  });
  await fc.assert(property, { seed: SEED, numRuns: runs });
}
