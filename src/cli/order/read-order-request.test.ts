import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderReport } from '../../api/order/order-contract.ts';
import { type Call, UsageError } from '../command.ts';
import { orderRequestOf } from './read-order-request.ts';
import { exitCodeOf } from './run-end.ts';

function call(flags: Record<string, unknown>, words: readonly string[] = ['add tests']): Call {
  return { words, flags } as unknown as Call;
}

test('flags and words become a request, and what is not said is left to the node', async () => {
  const flags = {
    agent: 'emma',
    check: ['npm test'],
    net: ['npm'],
    timeout: '15m',
    budget: '$2.50',
    retries: '3',
    worktree: true,
  };
  assert.deepEqual(await orderRequestOf(call({ ...flags, workspace: '/shop' })), {
    origin: 'CLI',
    text: 'add tests',
    workspace: '/shop',
    agent: 'emma',
    checks: ['npm test'],
    net: ['npm'],
    timeoutSeconds: 900,
    budgetUsd: 2.5,
    retries: 3,
    worktree: true,
  });
  const { text, ...rest } = await orderRequestOf(call({}, ['two', 'words']));
  assert.equal(text, 'two words');
  assert.deepEqual(rest, { workspace: process.cwd(), checks: [], net: [], origin: 'CLI' });
});

for (const [given, seconds] of [
  ['90', 90],
  ['90s', 90],
  ['2h', 7_200],
] as const) {
  test(`--timeout ${given} is ${seconds} seconds`, async () => {
    assert.equal((await orderRequestOf(call({ timeout: given }))).timeoutSeconds, seconds);
  });
}

const REFUSED: readonly (readonly [Record<string, unknown>, readonly string[], RegExp])[] = [
  [{ timeout: '0' }, ['x y'], /--timeout: "0" is not a duration/],
  [{ timeout: '-1' }, ['x y'], /is not a duration/],
  [{ timeout: '5 minutes' }, ['x y'], /is not a duration/],
  [{ retries: '-1' }, ['x y'], /--retries: "-1" is not a number from 0 to 20/],
  [{ retries: 'twice' }, ['x y'], /--retries: "twice" is not a number/],
  [{ retries: '21' }, ['x y'], /--retries: "21" is not a number/],
  [{ budget: 'much' }, ['x y'], /--budget: "much" is not an amount of money/],
  [{ budget: '-1' }, ['x y'], /is not an amount of money/],
  [{ check: [' '] }, ['x y'], /--check: the command is empty/],
  [{}, [''], /no task given/],
  [{}, [' ', ' '], /no task given/],
  [{}, ['/'], /cannot read \/: it is a folder/],
  [{}, ['missing.json'], /cannot read missing\.json: the file does not exist/],
  [{}, ['no/such/file'], /cannot read no\/such\/file/],
];

for (const [flags, words, wanted] of REFUSED) {
  test(`${JSON.stringify({ flags, words })} is refused before anything is opened`, async () => {
    await assert.rejects(orderRequestOf(call(flags, words)), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, wanted);
      return error.hint !== '';
    });
  });
}

const EXITS: readonly (readonly [OrderReport['verdict'], string | null, number])[] = [
  ['checked', null, 0],
  ['failed', null, 1],
  ['partial', null, 3],
  ['unchecked', null, 3],
  ['aborted', null, 4],
  ['aborted', 'operator', 130],
];

for (const [verdict, stoppedBy, code] of EXITS) {
  test(`${verdict}${stoppedBy === null ? '' : ', stopped by a person,'} ends baton run with ${code}`, () => {
    assert.equal(exitCodeOf({ verdict, stoppedBy }), code);
  });
}
