import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import type { HeldTask } from '../../src/api/contract.ts';
import { scratchFolder } from '../support/data-folder.ts';
import { ExternalStage, newKey, outcome, resultOf } from '../support/external/external-client.ts';
import { ALL_SCOPES, ExternalDaemon } from '../support/external/external-daemon.ts';
import { taken } from '../support/taken.ts';

// The attack cases B8, B9 and B11 against a real node over real HTTP.

const scratch = scratchFolder('external-tokens');
const node = await ExternalDaemon.start(join(scratch, 'data'));
const agent = await node.enrol('outsider', ['status.read', 'task.read', 'task.claim', 'task.update', 'task.complete']);
const project = await node.project();

const RIGHT = decodeJwt(agent.access) as Readonly<Record<string, unknown>>;

/** A token that the node's own key signs, right in every part but for what is given. */
async function minted(claims: Readonly<Record<string, unknown>>, typ: string | undefined = 'at+jwt'): Promise<string> {
  const payload: Record<string, unknown> = { ...RIGHT, ...claims };
  for (const [name, value] of Object.entries(payload)) if (value === undefined) delete payload[name];
  const header = { alg: 'EdDSA', ...(typ && { typ }) };
  return await new SignJWT(payload).setProtectedHeader(header).sign(node.tokenKey());
}

async function statusWith(token: string): Promise<string> {
  return outcome(await agent.invoke('status.read', {}, { token }));
}

describe('B8: an access token is right in every part', () => {
  test('as the node makes it: RFC 9068, bound to the key, ten minutes', () => {
    const { iss, aud, sub, client_id: client, cnf, exp = 0, iat = 0, nbf = 0, scope } = decodeJwt(agent.access);
    assert.deepEqual(decodeProtectedHeader(agent.access), { alg: 'EdDSA', typ: 'at+jwt' });
    assert.deepEqual([iss, aud], [`urn:baton:${project}`, `urn:baton:${project}:external`]);
    assert.deepEqual(
      [sub, client, cnf],
      ['outsider', `outsider:${agent.key.thumbprint}`, { jkt: agent.key.thumbprint }],
    );
    assert.deepEqual(
      [exp - iat, nbf <= iat, scope],
      [600, true, 'task.read task.claim task.update task.complete status.read'],
    );
  });

  const second = Math.floor(Date.now() / 1000);
  const WRONG: readonly (readonly [name: string, claims: Record<string, unknown>, code?: string])[] = [
    ['another audience', { aud: 'urn:baton:prj_other:external' }],
    ['no audience', { aud: undefined }],
    ['another issuer', { iss: 'urn:baton:prj_other' }],
    ['no issuer', { iss: undefined }],
    ['an end in the past', { exp: second - 1 }, 'expired_access_token'],
    ['no end', { exp: undefined }],
    ['an end too late', { exp: second + 3_600 }],
    ['not before the future', { nbf: second + 60 }],
    ['no beginning', { nbf: undefined }],
    ['no time of its making', { iat: undefined }],
    ['another client', { client_id: 'somebody:else' }],
    ['no client', { client_id: undefined }],
    ['another agent', { sub: 'emma' }],
    ['no agent', { sub: undefined }],
    ['another session', { sid: 'xs_01JV3M2N8V1ZK4J2A0M7Y6P9QF' }],
    ['no session', { sid: undefined }],
    ['no key', { cnf: undefined }],
    ['a key of another form', { cnf: { jwk: {} } }],
    ['another key', { cnf: { jkt: 'x' }, client_id: 'outsider:x' }],
    ['no id', { jti: undefined }],
    ['no scope', { scope: undefined }],
  ];
  for (const [name, claims, code = 'invalid_access_token'] of WRONG) {
    test(name, async () => {
      assert.equal(await statusWith(await minted({})), 'ok', 'the key of this test is the one of the node');
      assert.equal(await statusWith(await minted(claims)), code);
    });
  }

  test('another type, another signature, a changed letter', async () => {
    for (const typ of ['JWT', 'dpop+jwt', 'logout+jwt', ''])
      assert.equal(await statusWith(await minted({}, typ)), 'invalid_access_token', typ);
    const { privateKey } = await newKey('EdDSA');
    const foreign = await new SignJWT(RIGHT).setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt' }).sign(privateKey);
    assert.equal(await statusWith(foreign), 'invalid_access_token');
    const [head = '', body = '', mark = ''] = agent.access.split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
    for (const token of [`${head}.${body}.`, `${none}.${body}.`, `${head}.${body}x.${mark}`, agent.refresh, 'x'])
      assert.equal(await statusWith(token), 'invalid_access_token', token);
  });

  test('what a token says of its scopes widens nothing', async () => {
    const token = await minted({ scope: ALL_SCOPES.join(' ') });
    assert.equal(outcome(await agent.invoke('admin.audit', {}, { token })), 'scope_denied');
    assert.equal(outcome(await agent.invoke('message.send', { to: ['emma'], body: 'x' }, { token })), 'scope_denied');
  });
});

describe('B8: a refresh token', () => {
  test('works once, for its own key, and gives tokens that work', async () => {
    const stage = await node.enrol('refreshing');
    const [first, old] = [stage.refresh, stage.access];
    assert.equal(outcome(await stage.renew()), 'ok');
    assert.notEqual(stage.refresh, first);
    assert.equal(outcome(await stage.invoke('status.read')), 'ok');
    assert.equal(outcome(await stage.invoke('status.read', {}, { token: old })), 'ok', 'the access token lives on');
    const thief = new ExternalStage(node.url, await newKey());
    assert.equal(outcome(await thief.renew(stage.refresh)), 'invalid_refresh_token');
    assert.equal(outcome(await thief.renew(first)), 'invalid_refresh_token');
    assert.equal(outcome(await stage.renew()), 'ok', 'a thief without the key harms nobody');
    for (const text of ['', 'x', stage.access, `${stage.refresh}x`]) {
      assert.equal(outcome(await stage.call('/v1/external/refresh', { refresh_token: text })), 'invalid_refresh_token');
    }
  });

  test('of an earlier round revokes everything of its family', async () => {
    const stage = await node.enrol('copied');
    const first = stage.refresh;
    assert.equal(outcome(await stage.renew()), 'ok');
    const [second, access] = [stage.refresh, stage.access];
    assert.equal(outcome(await stage.renew(first)), 'invalid_refresh_token');
    assert.equal(outcome(await stage.renew(second)), 'invalid_refresh_token');
    assert.equal(outcome(await stage.invoke('status.read', {}, { token: access })), 'invalid_access_token');
    const { agents } = taken(await node.client.listExternalAgents({ all: true }));
    const revoked = agents.find((each) => each.agent === 'copied');
    assert.deepEqual([revoked?.state, revoked?.revokedWhy], ['revoked', 'refresh_token_reused']);
  });

  test('of two uses at the same time at most one wins', async () => {
    const stage = await node.enrol('racing');
    const first = stage.refresh;
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => stage.call('/v1/external/refresh', { refresh_token: first })),
    );
    assert.equal(answers.filter((answer) => outcome(answer) === 'ok').length, 1);
  });
});

describe('B9: an invite', () => {
  test('of many that exchange it at the same time, exactly one wins', async () => {
    const invite = await node.invite('crowd');
    const stages = await Promise.all(
      Array.from({ length: 20 }, async () => new ExternalStage(node.url, await newKey())),
    );
    const outcomes = await Promise.all(stages.map(async (stage) => outcome(await stage.enrol(invite))));
    assert.deepEqual(outcomes.filter((each) => each === 'ok').length, 1);
    assert.deepEqual(outcomes.filter((each) => each === 'invite_used').length, 19);
    const { agents } = taken(await node.client.listExternalAgents());
    assert.equal(agents.filter((each) => each.agent === 'crowd').length, 1);
  });

  test('works once: not for another key, and not again for its own', async () => {
    const invite = await node.invite('once');
    const stage = new ExternalStage(node.url, await newKey());
    assert.equal(outcome(await stage.enrol(invite)), 'ok');
    const again = await stage.enrol(invite);
    assert.deepEqual([again.status, outcome(again)], [409, 'invite_used']);
    assert.equal(outcome(await new ExternalStage(node.url, await newKey()).enrol(invite)), 'invite_used');
  });

  test('ends after its time, at most fifteen minutes, and when it is revoked', async () => {
    const short = await node.invite('late', ALL_SCOPES, 1);
    await wait(1_050);
    const late = await new ExternalStage(node.url, await newKey()).enrol(short);
    assert.deepEqual([late.status, outcome(late)], [401, 'expired_invite']);
    const longer = await node.client.createInvite({ agent: 'late', scopes: ['admin'], ttlSeconds: 901 });
    assert.equal('code' in longer && longer.code, 'invalid_argument');
    const invite = await node.invite('unwanted');
    taken(await node.client.revokeExternal({ who: 'unwanted' }));
    const unwanted = await new ExternalStage(node.url, await newKey()).enrol(invite);
    assert.deepEqual([unwanted.status, outcome(unwanted)], [401, 'invalid_invite']);
  });

  test('is for a name that no agent of this node has, and for scopes that exist', async () => {
    for (const request of [
      { agent: 'demo', scopes: ['task.read'] },
      { agent: 'all', scopes: ['task.read'] },
      { agent: 'operator', scopes: ['task.read'] },
      { agent: 'a b', scopes: ['task.read'] },
      { agent: 'fine', scopes: [] },
      { agent: 'fine', scopes: ['task.*'] },
      { agent: 'fine', scopes: ['task.read', 'root'] },
    ]) {
      const answer = await node.client.createInvite(request);
      assert.equal('code' in answer && answer.code, 'invalid_argument', JSON.stringify(request));
    }
  });

  test('is stored as a hash, and shown once', async () => {
    const invite = await node.invite('hashed');
    assert.match(invite, /^baton-invite-[\w-]{43}$/);
    const everything = JSON.stringify([
      taken(await node.client.listInvites()),
      taken(await node.client.listEvents({ type: 'external.*' })),
      taken(await node.client.readAudit({})),
    ]);
    for (const secret of [invite, agent.access, agent.refresh]) assert.ok(!everything.includes(secret));
  });
});

describe('B11: the body belongs to the proof', () => {
  const PATH = '/v1/external/invoke';

  test('a captured proof with another body is refused, and the genuine one still works', async () => {
    const task = taken(await node.client.createTask({ title: 'Mine', agent: 'outsider' }));
    const [body, altered] = ['first', 'second'].map((progress) =>
      JSON.stringify({ operation: 'task.claim', arguments: { task: task.id }, corrId: progress }),
    ) as [string, string];
    const dpop = await agent.proof({ method: 'POST', url: `${node.url}${PATH}`, body, token: agent.access });
    const headers = { authorization: `DPoP ${agent.access}`, dpop };
    for (const other of [altered, `${body} `, '', '{}'])
      assert.equal(outcome(await agent.raw(PATH, headers, other)), 'invalid_dpop_proof');
    assert.match(taken(await node.client.showTask({ task: task.id })).status, /^(backlog|ready)$/);
    assert.equal(outcome(await agent.raw(PATH, headers, body)), 'ok');
  });

  test('a proof without the hash of its body is none', async () => {
    for (const htd of [undefined, '', 'x']) {
      assert.equal(outcome(await agent.invoke('status.read', {}, { claims: { htd } })), 'invalid_dpop_proof');
      assert.equal(
        outcome(await agent.call('/v1/external/refresh', { refresh_token: agent.refresh }, { claims: { htd } })),
        'invalid_dpop_proof',
      );
    }
  });

  test('with an idempotency key a call takes effect once, and another one with its key is refused', async () => {
    const task = taken(await node.client.createTask({ title: 'Mine too', agent: 'outsider' }));
    const headers = { 'idempotency-key': 'one' };
    const first = resultOf<HeldTask>(await agent.invoke('task.claim', { task: task.id }, { headers }));
    const again = resultOf<HeldTask>(await agent.invoke('task.claim', { task: task.id }, { headers }));
    assert.equal(again.run.id, first.run.id);
    const said = { task: task.id, progress: 'half' };
    const key = { headers: { 'idempotency-key': 'two' } };
    for (let at = 0; at < 2; at++) {
      assert.equal(outcome(await agent.invoke('task.update', said, key)), 'ok');
      await wait(5);
    }
    assert.equal(
      outcome(await agent.invoke('task.update', { ...said, progress: 'all' }, key)),
      'idempotency_key_reused',
    );
    const end = { task: task.id, outcome: 'done' };
    const done = { headers: { 'idempotency-key': 'three' } };
    const ended = resultOf<HeldTask>(await agent.invoke('task.complete', end, done));
    assert.deepEqual(resultOf<HeldTask>(await agent.invoke('task.complete', end, done)), ended, 'the lost answer');
    assert.equal(ended.task.status, 'review');
    const { body } = taken(await node.client.showTask({ task: task.id }));
    assert.equal(body.split('half').length - 1, 1, body);
  });
});
