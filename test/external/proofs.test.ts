import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { scratchFolder } from '../support/data-folder.ts';
import { ExternalStage, newKey, outcome, sha256 } from '../support/external/external-client.ts';
import { ExternalDaemon } from '../support/external/external-daemon.ts';
import { BODY, PATH, proofStage } from '../support/external/proof-stage.ts';

// The attack cases B1 to B4, B6 and B7 against a real node over real HTTP.

const scratch = scratchFolder('external-proofs');
const DAY = 86_400;
const { node, agent, proof, send, assertStillWorks } = await proofStage(join(scratch, 'one'));
const other = await ExternalDaemon.start(join(scratch, 'other'));

const now = () => Math.floor(Date.now() / 1000);

describe('B1: a proof counts once', () => {
  test('the same proof again is refused, however young it is', async () => {
    const used = await proof();
    assert.equal(await send(used), 'ok');
    for (let at = 0; at < 3; at++) assert.equal(await send(used), 'replay_detected');
    const old = await proof({ claims: { iat: now() - 59 } });
    assert.deepEqual([await send(old), await send(old)], ['ok', 'replay_detected']);
  });

  test('of many requests with one proof at the same time, one wins', async () => {
    const used = await proof();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => send(used)));
    assert.deepEqual(outcomes.toSorted(), ['ok', ...Array.from({ length: 19 }, () => 'replay_detected')].toSorted());
  });

  test('it counts nowhere else: not on another node, not for another call', async () => {
    const used = await proof();
    const there = new ExternalStage(other.url, agent.key);
    await there.enrol('baton-invite-none');
    const headers = { authorization: `DPoP ${agent.access}`, dpop: used };
    assert.equal(outcome(await there.raw(PATH, headers, BODY)), 'invalid_access_token');
    const forThere = await agent.proof({ method: 'POST', url: `${other.url}${PATH}`, body: BODY, token: agent.access });
    assert.equal(outcome(await there.raw(PATH, { ...headers, dpop: forThere }, BODY)), 'invalid_access_token');
    assert.equal(outcome(await agent.raw('/v1/external/context', headers, BODY)), 'invalid_dpop_proof');
  });
});

describe('B2: the id of a proof counts once, however its request is spelled', () => {
  const htu = () => `${agent.url}${PATH}`;
  const SPELLINGS: Readonly<Record<string, () => Record<string, unknown>>> = {
    'the method in small letters': () => ({ htm: 'post' }),
    'a query': () => ({ htu: `${htu()}?a=b` }),
    'a fragment': () => ({ htu: `${htu()}#a` }),
    'a slash at the end': () => ({ htu: `${htu()}/` }),
    'an escape': () => ({ htu: htu().replace('invoke', '%69nvoke') }),
    'an escape in capitals': () => ({ htu: htu().replace('invoke', 'inv%6Fke') }),
    'dots in the path': () => ({ htu: htu().replace('/v1/', '/v1/./x/../') }),
    'the scheme in capitals': () => ({ htu: htu().replace('http', 'HTTP') }),
  };
  for (const [name, claims] of Object.entries(SPELLINGS)) {
    test(name, async () => {
      const jti = randomUUID();
      const outcomes = [
        await send(await proof({ claims: { jti } })),
        await send(await proof({ claims: { jti, ...claims() } })),
      ];
      assert.equal(outcomes[0], 'ok');
      assert.match(outcomes[1] ?? '', /^(replay_detected|invalid_dpop_proof)$/);
      const first = randomUUID();
      const accepted = [
        await send(await proof({ claims: { jti: first, ...claims() } })),
        await send(await proof({ claims: { jti: first } })),
      ].filter((each) => each === 'ok');
      assert.equal(accepted.length, 1, 'the other way round');
    });
  }

  test('another request of the same key may have the same id', async () => {
    const jti = randomUUID();
    assert.equal(await send(await proof({ claims: { jti } })), 'ok');
    const context = await agent.call(
      '/v1/external/context',
      { task: 'none' },
      { token: agent.access, claims: { jti } },
    );
    assert.equal(outcome(context), 'task_not_found');
  });
});

describe('B3: a proof is for one method and one address', () => {
  const CLAIMS: Readonly<Record<string, () => Record<string, unknown>>> = {
    'another method': () => ({ htm: 'GET' }),
    'no method': () => ({ htm: undefined }),
    'another path': () => ({ htu: `${agent.url}/v1/external/context` }),
    'another port': () => ({ htu: `http://127.0.0.1:1${PATH}` }),
    'another host': () => ({ htu: `https://node.example${PATH}` }),
    'the other name of this host': () => ({ htu: `${agent.url.replace('127.0.0.1', 'localhost')}${PATH}` }),
    'TLS that is not there': () => ({ htu: `${agent.url.replace('http', 'https')}${PATH}` }),
    'a path only': () => ({ htu: PATH }),
    'a list of addresses': () => ({ htu: [`${agent.url}${PATH}`] }),
    'no address': () => ({ htu: undefined }),
  };
  for (const [name, claims] of Object.entries(CLAIMS)) {
    test(name, async () => {
      assert.equal(await send(await proof({ claims: claims() })), 'invalid_dpop_proof');
    });
  }

  test('no forwarding header changes the address', async () => {
    const claims = { htu: `https://node.example${PATH}` };
    const forwarded = {
      forwarded: 'host=node.example;proto=https',
      'x-forwarded-host': 'node.example',
      'x-forwarded-proto': 'https',
      'x-original-url': PATH,
    };
    assert.equal(await send(await proof({ claims }), forwarded), 'invalid_dpop_proof');
    assert.equal(await send(await proof({ claims }), { ...forwarded, host: 'node.example' }), 'forbidden_host');
    assert.equal(await send(await proof(), forwarded), 'ok');
    assert.equal(await send(await proof(), { origin: 'https://evil.test' }), 'forbidden_origin');
  });
});

describe('B4: a proof is for one access token', () => {
  const HASHES: Readonly<Record<string, () => unknown>> = {
    none: () => undefined,
    'of another token': () => sha256(`${agent.access}x`),
    'of the refresh token': () => sha256(agent.refresh),
    'in hexadecimal': () => Buffer.from(sha256(agent.access), 'base64url').toString('hex'),
    'in base64 with padding': () => Buffer.from(sha256(agent.access), 'base64url').toString('base64'),
    'in UTF-16': () => sha256(Buffer.from(agent.access, 'utf16le')),
    'the token itself': () => agent.access,
  };
  for (const [name, ath] of Object.entries(HASHES)) {
    test(`the hash: ${name}`, async () => {
      assert.equal(await send(await proof({ claims: { ath: ath() } })), 'invalid_dpop_proof');
    });
  }
});

describe('B6: time', () => {
  test('without a nonce of this node no time is right', async () => {
    for (const off of [-61, 0, 61])
      assert.equal(
        await send(await proof({ nonce: null, claims: { iat: now() + off } })),
        'use_dpop_nonce',
        String(off),
      );
  });

  test('a clock that is wrong by a day works by the nonce', async () => {
    for (const off of [-DAY, DAY, 400 * DAY])
      assert.equal(await send(await proof({ claims: { iat: now() + off } })), 'ok');
  });

  test('a nonce of another node is answered with one of this node, and that one works', async () => {
    const there = new ExternalStage(other.url, agent.key);
    await there.enrol('baton-invite-none');
    for (const nonce of [there.nonce, 'x', `${agent.nonce}x`]) {
      assert.equal(await send(await proof({ nonce })), 'use_dpop_nonce', String(nonce));
      assert.equal(await send(await proof()), 'ok');
    }
  });

  test('the answer says what to do as RFC 9449 has it', async () => {
    const authorization = `DPoP ${agent.access}`;
    const answer = await agent.raw(PATH, { authorization, dpop: await proof({ nonce: null }) }, BODY);
    assert.equal(answer.status, 401);
    assert.match(String(answer.headers['www-authenticate']), /^DPoP error="use_dpop_nonce", algs="[^"]*ES256/);
    assert.match(String(answer.headers['dpop-nonce']), /^[\w-]{32}$/);
  });
});

describe('B7: an access token is bound to its key', () => {
  test('a proof by another key is refused', async () => {
    assert.equal(await send(await proof({ key: await newKey() })), 'invalid_access_token');
    const second = await node.enrol('second');
    assert.equal(await send(await proof({ key: second.key })), 'invalid_access_token');
    const crossed = await agent.proof({ method: 'POST', url: `${agent.url}${PATH}`, body: BODY, token: second.access });
    assert.equal(
      outcome(await agent.raw(PATH, { authorization: `DPoP ${second.access}`, dpop: crossed }, BODY)),
      'invalid_access_token',
    );
  });

  test('as a bearer token it is none, with a proof or without, here and elsewhere', async () => {
    const bearer = { authorization: `Bearer ${agent.access}` };
    assert.equal(outcome(await agent.raw(PATH, { ...bearer, dpop: await proof() }, BODY)), 'invalid_access_token');
    assert.equal(outcome(await agent.raw(PATH, bearer, BODY)), 'invalid_access_token');
    for (const path of ['/v1/status', '/v1/tasks', '/v1/invites', '/v1/audit']) {
      assert.equal(outcome(await agent.raw(path, bearer, '', 'GET')), 'unauthenticated', path);
      const dpop = await agent.proof({ method: 'GET', url: `${agent.url}${path}`, token: agent.access });
      assert.equal(
        outcome(await agent.raw(path, { authorization: `DPoP ${agent.access}`, dpop }, '', 'GET')),
        'unauthenticated',
        path,
      );
    }
  });

  test('a token without a proof, a proof without a token, and the token of the operator', async () => {
    assert.equal(outcome(await agent.raw(PATH, { authorization: `DPoP ${agent.access}` }, BODY)), 'invalid_dpop_proof');
    assert.equal(outcome(await agent.raw(PATH, { dpop: await proof() }, BODY)), 'invalid_access_token');
    const operator = node.daemon.facts.token;
    for (const scheme of ['Bearer', 'DPoP'])
      assert.equal(
        outcome(
          await agent.raw(
            PATH,
            { authorization: `${scheme} ${operator}`, dpop: await proof({ token: operator }) },
            BODY,
          ),
        ),
        'invalid_access_token',
      );
    await assertStillWorks();
  });
});
