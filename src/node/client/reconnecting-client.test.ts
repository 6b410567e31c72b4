import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestTimer } from '../../../test/support/test-timer.ts';
import { httpClient } from '../../api/http/http-client.ts';
import type { NodeClient } from '../../api/node-client.ts';
import { NodeFault, type NodeFaultFacts } from '../../api/node-fault.ts';
import { NODE_CALL_TRIES_MAX } from '../../domain/limits.ts';
import { CurrentNode } from './reconnecting-client.ts';

const client = () => httpClient({ url: 'http://127.0.0.1:1', token: '' });
const fault = (facts: NodeFaultFacts) => new NodeFault('POST /v1/tasks', 'no answer', facts);
const system = (code: string) => Object.assign(new Error(code), { code });

/** A link that counts how often it is connected anew, and a call that fails so often before it answers. */
function linked(failure: unknown, failures: number) {
  const connected: NodeClient[] = [];
  const asked: NodeClient[] = [];
  const connectAgain = async () => {
    const next = client();
    connected.push(next);
    return next;
  };
  const link = new CurrentNode({ first: client(), timer: new TestTimer(), connectAgain });
  const call = async (node: NodeClient) => {
    asked.push(node);
    if (asked.length <= failures) throw failure;
    return 'answer';
  };
  return { link, call, connected, asked };
}

const GONE: readonly (readonly [string, unknown])[] = [
  ['that broke off', fault({ retryable: true, cause: system('ECONNRESET') })],
  ['that is stopping', fault({ retryable: true, code: 'node_stopping' })],
  ['that nobody listens at', fault({ retryable: true, cause: system('ECONNREFUSED') })],
  ['whose ledger failed', fault({ retryable: true, code: 'node_failed' })],
];

for (const [name, failure] of GONE) {
  test(`a call of a node ${name} is made again with the next`, async () => {
    const { link, call, connected, asked } = linked(failure, 2);
    assert.equal(await link.ask(call), 'answer');
    assert.deepEqual(asked.slice(1), connected);
    assert.equal(link.client, connected[1]);
  });
}

test('a call is made a bounded number of times, and then its fault is told', async () => {
  const failure = fault({ retryable: true });
  const { link, call, asked } = linked(failure, 1_000);
  await assert.rejects(link.ask(call), failure);
  assert.equal(asked.length, NODE_CALL_TRIES_MAX);
});

const FINAL: readonly (readonly [string, unknown])[] = [
  ['does not answer in time', fault({ retryable: true, cause: system('ABORT_ERR') })],
  ['failed for good', fault({ retryable: false, code: 'node_failed' })],
  ['cannot be reached for a reason of ours', new Error('a bug')],
];

for (const [name, failure] of FINAL) {
  test(`a node that ${name} is not asked again`, async () => {
    const { link, call, asked } = linked(failure, 1);
    await assert.rejects(link.ask(call), failure as Error);
    assert.equal(asked.length, 1);
  });
}

test('what must not be made twice is made again only where no node took it', async () => {
  for (const [name, failure] of GONE) {
    const { link, call } = linked(failure, 1);
    const answer = link.ask(call, { isRepeatable: false });
    if (/stopping|listens/.test(name)) assert.equal(await answer, 'answer');
    else await assert.rejects(answer, failure as Error);
  }
});

test('calls that lose their node at once find the next one together', async () => {
  const { link, call, connected } = linked(fault({ retryable: true }), 3);
  await Promise.all([link.ask(call), link.ask(call), link.ask(call)]);
  assert.equal(connected.length, 1);
});
