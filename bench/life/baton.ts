import { callConcurrently, figureOf } from '../contest/call-concurrently.ts';
import type { Figure, Round } from '../contest/contestant.ts';
import { openLedger } from './open-ledger.ts';
import { playLife } from './play-life.ts';

/** The ledger alone: no tree. */
export async function measure({ lives, warmUpLives, folder }: Round): Promise<Figure> {
  const ledger = openLedger(folder);
  await callConcurrently(warmUpLives, () => playLife(ledger));
  const figure = await figureOf(lives, () => callConcurrently(lives, () => playLife(ledger)));
  ledger.close();
  return figure;
}
