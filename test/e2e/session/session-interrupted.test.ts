import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, describe, test } from 'node:test';
import type { StatusAnswer } from '../../../src/api/contract.ts';
import type { SessionView } from '../../../src/api/session/session-contract.ts';
import { BATON, linesOf, runBaton } from '../../support/run-baton.ts';
import { until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

const SLOW = `name: slow
agent: demo
tasks:
  p: "@demo sleep 3000\\n@demo write p.txt p"
  z: { words: "@demo write z.txt z", after: p }
`;

async function shown(folder: string): Promise<Partial<SessionView> | undefined> {
  return linesOf<Partial<SessionView>>(await runBaton(['session', 'show', '@', '--json'], { folder }))[0];
}

/** A repository whose session was killed while its first task ran. */
async function killedSession() {
  const repository = new TestRepository();
  repository.write('slow.yaml', SLOW);
  repository.commit('a session');
  const { root } = repository;
  const child: ChildProcess = spawn(BATON, ['session', 'run', 'slow.yaml', '--yes'], { cwd: root, stdio: 'ignore' });
  after(() => child.kill('SIGKILL'));
  await until(async () => (await shown(root))?.totals?.running === 1);
  assert.equal((await shown(root))?.is_interrupted, false, 'its node runs it');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const session = (await shown(root))?.session_id ?? '';
  const baton = (...args: string[]) => runBaton(args, { folder: root });
  return { repository, root, session, baton };
}

describe('a session whose node was killed', { concurrency: 2, skip: noBubblewrap }, () => {
  test('is shown as interrupted with the command that continues it, and that command continues it here', async () => {
    const { repository, root, session, baton } = await killedSession();
    assert.equal((await shown(root))?.is_interrupted, true);
    const page = await baton('session', 'show', '@');
    assert.match(page.stdout, /^interrupted {2}slow: /m);
    assert.match(
      page.stdout + page.stderr,
      new RegExp(`^no node runs it\nnext: baton session continue ${session} `, 'm'),
    );
    assert.match((await baton('session', 'list')).stdout, new RegExp(`^interrupted {2}${session}`, 'm'));
    const status = await baton('status');
    assert.match(status.stdout, new RegExp(`^Interrupted \\(\\d\\)\n(?:.*\n)*? +${session} +slow\n`, 'm'));
    assert.match(status.stdout, new RegExp(`^ +baton session continue ${session}$`, 'm'));
    const [answer] = linesOf<StatusAnswer>(await baton('status', '--json'));
    assert.deepEqual(answer?.interruptedSessions, [{ id: session, name: 'slow' }]);
    const continued = await baton('session', 'continue', '@');
    assert.equal(continued.status, 3, continued.stdout + continued.stderr);
    assert.deepEqual(
      [repository.read('p.txt'), repository.read('z.txt')].map((text) => text.trim()),
      ['p', 'z'],
    );
    const end = await shown(root);
    assert.deepEqual([end?.is_interrupted, end?.state, end?.totals?.completed], [false, 'COMPLETED', 2]);
    assert.doesNotMatch((await baton('status')).stdout, /Interrupted/);
  });

  test('is not retried and gets no other limits before it is over: the refusals name what continues it', async () => {
    const { session, baton } = await killedSession();
    for (const args of [['retry'], ['continue', '--at-once', '1']]) {
      const refused = await baton('session', args[0] ?? '', session, ...args.slice(1));
      assert.equal(refused.status, 2, refused.stdout);
      assert.match(refused.stderr, /was interrupted: no node runs it, and it is not over/);
      assert.match(
        refused.stderr,
        new RegExp(`baton session continue ${session}.*baton up -d.*baton session stop ${session}`, 's'),
      );
    }
    const detached = await baton('session', 'continue', session, '--detach');
    assert.equal(detached.status, 0, detached.stdout + detached.stderr);
    assert.match(detached.stdout, /continues/);
    const again = await baton('session', 'continue', session);
    assert.match(again.stderr, /is still running/);
    const ended = await baton('session', 'stop', session);
    assert.equal(ended.status, 0, ended.stderr);
    assert.equal((await baton('down')).status, 0);
  });
});
