import assert from 'node:assert/strict';
import { request as requestHttp } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { HeldTask } from '../../src/api/contract.ts';
import type { AuditView } from '../../src/api/external/external-contract.ts';
import { DataFolder, scratchFolder } from '../support/data-folder.ts';
import { ExternalStage, newKey, outcome, resultOf } from '../support/external/external-client.ts';
import { ExternalDaemon } from '../support/external/external-daemon.ts';
import { inTime } from '../support/in-time.ts';
import { linesOf } from '../support/run-baton.ts';
import { taken } from '../support/taken.ts';

// The attack case B12: revocation, and one row for each call that was accepted or refused.

const scratch = scratchFolder('external-audit');
const node = await ExternalDaemon.start(join(scratch, 'data'));
const folder = new DataFolder(node.folder);

async function audit(filter: Parameters<typeof node.client.readAudit>[0]): Promise<readonly AuditView[]> {
  return taken(await node.client.readAudit(filter)).entries;
}

/** An open stream of events: what came so far, and when it ended. */
class EventStream {
  text = '';
  status = 0;
  readonly ended: Promise<void>;
  readonly #heard: (() => void)[] = [];

  constructor(url: string, headers: Record<string, string>) {
    this.ended = new Promise((resolve) => {
      const request = requestHttp(url, { headers }, (response) => {
        this.status = response.statusCode ?? 0;
        response.setEncoding('utf8').on('data', (part) => {
          this.text += part;
          for (const heard of this.#heard.splice(0)) heard();
        });
        response.on('close', () => resolve());
      });
      request.on('error', () => resolve()).end();
    });
  }

  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text))
      await inTime(new Promise<void>((resolve) => this.#heard.push(resolve)), `${pattern} in ${this.text}`);
  }
}

async function follow(agent: ExternalStage, after?: number): Promise<EventStream> {
  const url = `${agent.url}/v1/external/events`;
  const dpop = await agent.proof({ method: 'GET', url, token: agent.access });
  const last = after === undefined ? {} : { 'last-event-id': String(after) };
  return new EventStream(url, { authorization: `DPoP ${agent.access}`, dpop, accept: 'text/event-stream', ...last });
}

describe('revocation', () => {
  test('ends calls, tokens, streams and leases of an agent within a second', async () => {
    const agent = await node.enrol('revoked');
    const task = taken(await node.client.createTask({ title: 'Held', agent: 'revoked' })).id;
    resultOf<HeldTask>(await agent.invoke('task.claim', { task }));
    const stream = await follow(agent);
    await stream.until(/: after/);
    const answer = await folder.run(['invite', 'revoke', 'revoked', '--json']);
    assert.equal(answer.status, 0, answer.stdout + answer.stderr);
    const [told] = linesOf<{ sessions: string[]; tasks: string[] }>(answer);
    assert.deepEqual([told?.sessions, told?.tasks], [[agent.session], [task]]);
    await inTime(stream.ended, 'the end of the stream');
    for (const each of [await agent.invoke('status.read'), await agent.invoke('task.beat', { task })])
      assert.deepEqual([each.status, outcome(each)], [401, 'invalid_access_token']);
    assert.equal(outcome(await agent.renew()), 'invalid_refresh_token');
    assert.equal(taken(await node.client.showTask({ task })).status, 'ready');
  });

  test('of one session leaves the others of the agent', async () => {
    const [first, second] = [await node.enrol('double'), await node.enrol('double')];
    taken(await node.client.revokeExternal({ who: first.session }));
    assert.equal(outcome(await first.invoke('status.read')), 'invalid_access_token');
    assert.equal(outcome(await second.invoke('status.read')), 'ok');
    assert.equal('code' in (await node.client.revokeExternal({ who: first.session })), true, 'once');
  });

  test('a restored ledger revives nobody', async () => {
    const other = await ExternalDaemon.start(join(scratch, 'restored'));
    const agent = await other.enrol('revived');
    const invite = await other.invite('later');
    const there = new DataFolder(other.folder);
    await there.json('backup', join(scratch, 'copy'));
    taken(await other.client.revokeExternal({ who: 'revived' }));
    const { port } = new URL(other.url);
    await there.run(['down']);
    await there.json('restore', join(scratch, 'copy'));
    const again = await ExternalDaemon.start(other.folder, '--port', port);
    assert.equal(outcome(await agent.invoke('status.read')), 'invalid_access_token');
    assert.equal(outcome(await new ExternalStage(again.url, await newKey()).enrol(invite)), 'invalid_invite');
  });
});

describe('the stream of events', () => {
  test('has the events of its own tasks, each once, from where it stopped', async () => {
    const agent = await node.enrol('listening');
    const stream = await follow(agent);
    await stream.until(/: after/);
    taken(await node.client.createTask({ title: 'Somebody else', agent: 'emma' }));
    const task = taken(await node.client.createTask({ title: 'For the listener', agent: 'listening' })).id;
    await stream.until(/event: task\.created/);
    assert.ok(!stream.text.includes('Somebody else'), stream.text);
    const after = Number(/id: (\d+)\nevent: task\.created/.exec(stream.text)?.[1]);
    assert.equal(outcome(await agent.invoke('task.claim', { task })), 'ok');
    await stream.until(/event: task\.claimed/);
    const resumed = await follow(agent, after);
    await resumed.until(/event: task\.claimed/);
    assert.ok(!resumed.text.includes('event: task.created'));
    taken(await node.client.revokeExternal({ who: 'listening' }));
    await inTime(Promise.all([stream.ended, resumed.ended]), 'the end of both');
  });

  test('needs a scope, its own proof, and is bounded', async () => {
    const without = await node.enrol('deaf', ['status.read']);
    const refused = await follow(without);
    await refused.ended;
    assert.deepEqual([refused.status, /scope_denied/.test(refused.text)], [403, true]);
    const agent = await node.enrol('greedy');
    const streams = [];
    for (let at = 0; at < 4; at++) {
      const stream = await follow(agent);
      await stream.until(/: after/);
      streams.push(stream);
    }
    const fifth = await follow(agent);
    await fifth.ended;
    assert.equal(fifth.status, 429);
    taken(await node.client.revokeExternal({ who: 'greedy' }));
    await inTime(Promise.all(streams.map(({ ended }) => ended)), 'the end of all');
  });
});

describe('the audit', () => {
  test('has a row for every call, with actor, scope, operation, corrId and sessionId', async () => {
    const agent = await node.enrol('audited', ['status.read', 'task.read', 'task.claim']);
    const task = taken(await node.client.createTask({ title: 'Audited', agent: 'audited' })).id;
    const answer = await agent.invoke('task.claim', { task }, { corrId: 'my-thread' });
    assert.equal(outcome(answer), 'ok');
    await agent.invoke('task.claim', { task }, { corrId: 'my-thread' });
    await agent.invoke('task.complete', { task, outcome: 'done' });
    await agent.invoke('no.such');
    const rows = await audit({ session: agent.session });
    const seen = rows.map(({ operation, scope, verdict, code, answer: end }) => [
      operation,
      scope,
      verdict,
      code ?? end,
    ]);
    assert.deepEqual(seen, [
      ['exchange', null, 'accepted', 'done'],
      ['task.claim', 'task.claim', 'accepted', 'done'],
      ['task.claim', 'task.claim', 'accepted', 'already_claimed'],
      ['task.complete', null, 'refused', 'scope_denied'],
      ['no.such', null, 'refused', 'scope_denied'],
    ]);
    for (const row of rows) {
      assert.deepEqual([row.actor, row.keyThumbprint, row.address], ['audited', agent.key.thumbprint, '127.0.0.1']);
      assert.match(row.corrId, /^(corr_\w{26}|my-thread)$/);
    }
    assert.deepEqual(
      (await audit({ corr: 'my-thread' })).map(({ task: about }) => about),
      [task, task],
    );
    assert.equal((await audit({ task })).length, 3);
  });

  test('has what strangers tried', async () => {
    const last = (await audit({})).at(-1)?.n ?? 0;
    const stranger = new ExternalStage(node.url, await newKey());
    await stranger.enrol('baton-invite-wrong');
    await stranger.raw('/v1/external/invoke', { dpop: 'x' }, '{}');
    const rows = await audit({ after: last });
    assert.deepEqual(
      rows.map(({ operation, code, actor }) => [operation, code, actor]),
      [
        ['exchange', 'use_dpop_nonce', null],
        ['exchange', 'invalid_invite', null],
        ['invoke', 'invalid_access_token', null],
      ],
    );
  });

  test('a correlation belongs to the session that began it', async () => {
    const [first, second] = [await node.enrol('first-of-two'), await node.enrol('second-of-two')];
    const given = (await first.invoke('status.read')).body as Record<string, unknown>;
    const corrId = String(given.corrId);
    assert.equal(outcome(await first.invoke('status.read', {}, { corrId })), 'ok');
    assert.equal(outcome(await second.invoke('status.read', {}, { corrId })), 'scope_denied');
    assert.equal(
      outcome(await second.invoke('status.read', {}, { corrId: 'corr_01JV3M2N8V1ZK4J2A0M7Y6P9QF' })),
      'scope_denied',
    );
    assert.equal(outcome(await second.invoke('status.read', {}, { corrId: 'of my own' })), 'invalid_argument');
    assert.equal(outcome(await second.invoke('status.read', {}, { corrId: 'of-my-own' })), 'ok');
  });

  test('is printed by baton audit, and baton events tells what a person should see', async () => {
    const agent = await node.enrol('printed', ['task.read']);
    await agent.invoke('task.claim', { task: 'TASK-2026-01-01-001' });
    const printed = linesOf<AuditView>(await folder.run(['audit', '--agent', 'printed', '--json']));
    assert.deepEqual(
      printed.map(({ operation }) => operation),
      ['exchange', 'task.claim'],
    );
    const human = await folder.run(['audit', '--agent', 'printed', '--refused']);
    assert.match(human.stdout, /refused +scope_denied +printed +task\.claim/);
    const events = await folder.run(['events', '--session', agent.session]);
    assert.match(events.stdout, new RegExp(`printed +enrolled with the key ${agent.key.thumbprint} for task\\.read`));
    assert.match(events.stdout, /printed +asked for task\.claim and was refused: scope_denied/);
  });
});
