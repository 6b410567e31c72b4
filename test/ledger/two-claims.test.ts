import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isRefusal } from '../../src/domain/refusal.ts';
import { openNode } from '../../src/node.ts';
import { checkLedger } from '../support/ledger/check-ledger.ts';
import { suiteScratch } from '../support/test-ledger.ts';

const PROGRAM = fileURLToPath(new URL('../support/ledger/claim-tasks.ts', import.meta.url));
const ROUNDS = 20;
const folder = join(suiteScratch(), 'claims');

function claimer(agent: string) {
  const child = spawn(process.execPath, [PROGRAM, folder, agent], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise((resolve) => child.on('close', resolve));
  return {
    answer: async () => String((await lines.next()).value),
    claim: (task: string) => child.stdin.write(`${task}\n`),
    end: async () => {
      child.stdin.end();
      assert.equal(await ended, 0);
    },
  };
}

test(`of two processes that claim one task at once, one wins, ${ROUNDS} times`, async () => {
  const node = await openNode({ dataFolder: folder, onFatal: (fault) => assert.fail(fault) });
  const made = await Promise.all(Array.from({ length: ROUNDS }, (_, at) => node.createTask({ title: `round ${at}` })));
  await node.close();
  const two = [claimer('ann'), claimer('bob')];
  for (const each of two) assert.equal(await each.answer(), 'ready');
  for (const task of made) {
    assert.ok(!isRefusal(task));
    for (const each of two) each.claim(task.id);
    const answers = await Promise.all(two.map((each) => each.answer()));
    assert.deepEqual(answers.toSorted(), ['already_claimed', 'won']);
  }
  for (const each of two) await each.end();
  const db = new DatabaseSync(join(folder, 'ledger.sqlite'), { readOnly: true });
  assert.deepEqual(checkLedger(db), []);
  assert.equal(db.prepare('SELECT count(*) AS runs FROM runs').get()?.runs, ROUNDS);
  db.close();
});
