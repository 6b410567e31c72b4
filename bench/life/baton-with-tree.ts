import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { callConcurrently, timed } from '../contest/call-concurrently.ts';
import type { Figure, Round } from '../contest/contestant.ts';
import { openLedger } from './open-ledger.ts';
import { playLife } from './play-life.ts';

interface Mirror {
  settled(): Promise<void>;
}

const MIRROR = new URL('../../src/tree/mirror.ts', import.meta.url);

export function hasTree(): boolean {
  return existsSync(MIRROR);
}

/** The rate counts until the last answer; how much later the tree was complete stands beside it. */
export async function measure({ lives, warmUpLives, folder }: Round): Promise<Figure> {
  const ledger = openLedger(folder);
  const { Mirror } = (await import(MIRROR.href)) as {
    Mirror: new (parts: { ledger: Ledger; root: string }) => Mirror;
  };
  const mirror = new Mirror({ ledger, root: join(folder, 'tree') });
  await callConcurrently(warmUpLives, () => playLife(ledger));
  await mirror.settled();
  const answered = await timed(() => callConcurrently(lives, () => playLife(ledger)));
  const treeLate = await timed(() => mirror.settled());
  ledger.close();
  const throughTree = lives / (answered + treeLate);
  return { livesPerSecond: lives / answered, extra: { treeLateSeconds: treeLate, livesPerSecondInTree: throughTree } };
}
