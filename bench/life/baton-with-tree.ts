import { systemClock } from '../../src/platform/clock.ts';
import { randomIds } from '../../src/platform/ids.ts';
import { systemTimer } from '../../src/platform/timer.ts';
import { Mirror } from '../../src/tree/mirror.ts';
import { callConcurrently, timed } from '../contest/call-concurrently.ts';
import type { Figure, Round } from '../contest/contestant.ts';
import { openLedger } from './open-ledger.ts';
import { playLife } from './play-life.ts';

/** The rate counts until the last answer; how much later the tree was complete stands beside it. */
export async function measure({ lives, warmUpLives, folder }: Round): Promise<Figure> {
  const ledger = openLedger(folder);
  const mirror = new Mirror({ ledger, root: folder, clock: systemClock(), ids: randomIds(), timer: systemTimer() });
  mirror.start();
  await callConcurrently(warmUpLives, () => playLife(ledger));
  await mirror.settled();
  const answered = await timed(() => callConcurrently(lives, () => playLife(ledger)));
  const late = await timed(() => mirror.settled());
  await mirror.stop();
  ledger.close();
  return {
    livesPerSecond: lives / answered.seconds,
    extra: {
      cpuMicrosPerLife: (answered.cpuMicros + late.cpuMicros) / lives,
      treeLateSeconds: late.seconds,
      livesPerSecondInTree: lives / (answered.seconds + late.seconds),
    },
  };
}
