import assert from 'node:assert/strict';
import { join } from 'node:path';
import { TestDaemon } from '../test-daemon.ts';

/** A caller that runs beside other tests may allow more time. */
const LOSER_MS_MAX = 1_000;

/** Two daemons at once for one folder: one stays, the other ends with 2 in time and says who has it. */
export async function startPairs(pairs: number, scratch: string, loserMsMax = LOSER_MS_MAX): Promise<void> {
  for (let pair = 0; pair < pairs; pair++) {
    const folder = join(scratch, `pair-${pair}`);
    const startMs = performance.now();
    const both = [TestDaemon.spawn(folder), TestDaemon.spawn(folder)] as const;
    const endedMs = new Map<TestDaemon, number>();
    for (const each of both) void each.ended.then(() => endedMs.set(each, performance.now() - startMs));
    const ups = await Promise.all(both.map((each) => each.isUp()));
    assert.equal(ups.filter(Boolean).length, 1, `pair ${pair}: ${ups} ${both.map(({ stderr }) => stderr).join()}`);
    const [winner, loser] = ups[0] ? both : [both[1], both[0]];
    assert.deepEqual(await loser.ended, { status: 2, signal: null });
    assert.ok((endedMs.get(loser) ?? 0) < loserMsMax, `pair ${pair}: ${endedMs.get(loser)} ms`);
    assert.match(loser.stderr, /has a node already|is in use by another baton process/);
    assert.equal(winner.facts.pid, winner.child.pid);
    assert.equal((await fetch(`${winner.facts.url}/readyz`)).status, 200);
    assert.deepEqual(await winner.end(), { status: 0, signal: null });
  }
}
