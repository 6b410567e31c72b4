import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { inTime } from '../../test/support/in-time.ts';
import { openTestLedger } from '../../test/support/test-ledger.ts';
import { TestTimer } from '../../test/support/test-timer.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEnrolment, revokeEnrolment } from '../ledger/statements/external/enrolments.ts';
import { systemTimer } from '../platform/timer.ts';
import { OpenStreams } from './open-streams.ts';

/** The response of a server to a request that stays open. */
async function openResponse(t: TestContext) {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const opened = once(server, 'request');
  const request = get({ port, host: '127.0.0.1' });
  const [, response] = (await opened) as [unknown, ServerResponse];
  t.after(() => response.destroy());
  response.write('hello');
  const [incoming] = await once(request, 'response');
  incoming.resume();
  return { response, ended: once(incoming, 'end') };
}

test('a stream ends with its access token, and makes room for the next', async (t) => {
  const { ledger } = openTestLedger();
  const streams = new OpenStreams({ ledger, timer: systemTimer() });
  const { response, ended } = await openResponse(t);
  for (let at = 0; at < 4; at++) streams.add(response, 'xs_1', 100);
  assert.equal(streams.isFull('xs_1'), false, 'one response is one stream');
  await inTime(ended, 'the end of the stream');
  if (!response.destroyed) await once(response, 'close');
  streams.add(response, 'xs_1', 100);
  assert.equal(streams.isFull('xs_1'), false);
});

test('a stream ends with the commit that revokes its agent, and those of others go on', async (t) => {
  const { ledger, clock } = openTestLedger();
  const streams = new OpenStreams({ ledger, timer: new TestTimer() });
  const [revoked, other] = [await openResponse(t), await openResponse(t)];
  const enrol = (id: string): Command<object, object> => {
    const facts = { id, agent: id, thumbprint: id, scopes: [], inviteId: id, enrolledAt: clock.now().wallMs };
    return (tx) => insertEnrolment(tx, { ...facts, revokedAt: null, revokedWhy: null }) ?? {};
  };
  for (const id of ['xs_1', 'xs_2']) await ledger.submit(enrol(id), {});
  streams.add(revoked.response, 'xs_1', 60_000);
  streams.add(other.response, 'xs_2', 60_000);
  await ledger.submit((tx) => revokeEnrolment(tx, 'xs_1', 'revoked') ?? {}, {});
  assert.deepEqual([revoked.response.writableEnded, other.response.writableEnded], [true, false]);
  await inTime(revoked.ended, 'the end of the stream');
  other.response.end();
  await inTime(other.ended, 'the end of the other stream');
});
