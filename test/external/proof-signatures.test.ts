import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { type CryptoKey, generateKeyPair, SignJWT } from 'jose';
import { scratchFolder } from '../support/data-folder.ts';
import { newKey, sha256 } from '../support/external/external-client.ts';
import { BODY, PATH, proofStage } from '../support/external/proof-stage.ts';

// The attack case B5 against a real node over real HTTP.

const { agent, proof, send, assertStillWorks } = await proofStage(scratchFolder('external-signatures'));
const now = () => Math.floor(Date.now() / 1000);

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('B5: a proof is signed by the public key in its own header', () => {
  const claims = () => ({
    jti: randomUUID(),
    htm: 'POST',
    htu: `${agent.url}${PATH}`,
    iat: now(),
    nonce: agent.nonce,
    ath: sha256(agent.access),
    htd: sha256(BODY),
  });

  test('no signature, and one by a secret that everybody knows', async () => {
    const { jwk } = agent.key;
    const none = `${encoded({ typ: 'dpop+jwt', alg: 'none', jwk })}.${encoded(claims())}`;
    for (const text of [`${none}.`, `${none}.AA`, none]) assert.equal(await send(text), 'invalid_dpop_proof', text);
    const hmac = new SignJWT(claims()).setProtectedHeader({ typ: 'dpop+jwt', alg: 'HS256', jwk });
    assert.equal(await send(await hmac.sign(Buffer.from(JSON.stringify(jwk)))), 'invalid_dpop_proof');
  });

  test('a key that does not fit its algorithm, and algorithms that are not served', async () => {
    const edwards = await newKey('EdDSA');
    const parts = (await proof()).split('.');
    const header = encoded({ typ: 'dpop+jwt', alg: 'ES256', jwk: edwards.jwk });
    assert.equal(await send([header, parts[1], parts[2]].join('.')), 'invalid_dpop_proof');
    const swapped = encoded({ typ: 'dpop+jwt', alg: 'EdDSA', jwk: agent.key.jwk });
    assert.equal(await send([swapped, parts[1], parts[2]].join('.')), 'invalid_dpop_proof');
    for (const alg of ['RS256', 'PS256', 'ES512'])
      assert.equal(await send(await proof({ key: await newKey(alg) })), 'invalid_dpop_proof', alg);
  });

  test('a private key in the header, other fields beside it, another type', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const { d } = (await crypto.subtle.exportKey('jwk', privateKey as CryptoKey)) as { d: string };
    const headers: readonly Record<string, unknown>[] = [
      { jwk: { ...agent.key.jwk, d } },
      { jwk: { ...agent.key.jwk, kid: 'a' } },
      { jwk: undefined },
      { jwk: [] },
      { kid: 'a' },
      { x5c: ['MIIB'] },
      { jku: 'https://evil.test/keys' },
      { crit: ['exp'], exp: 1 },
      { typ: 'JWT' },
      { typ: 'at+jwt' },
      { typ: 'DPOP+JWT' },
      { typ: undefined },
    ];
    for (const header of headers) {
      const text = await proof({ header }).catch(() => null);
      if (text !== null) assert.equal(await send(text), 'invalid_dpop_proof', JSON.stringify(header));
    }
    const [, payload = '', signature = ''] = (await proof()).split('.');
    const critical = encoded({ typ: 'dpop+jwt', alg: 'ES256', jwk: agent.key.jwk, crit: ['exp'], exp: 1 });
    assert.equal(await send(`${critical}.${payload}.${signature}`), 'invalid_dpop_proof');
  });

  test('two proofs, a very long one, and what is none', async () => {
    assert.equal(await send([await proof(), await proof()]), 'bad_request');
    assert.equal(await send(`${await proof()}, ${await proof()}`), 'invalid_dpop_proof');
    const long = await proof({ header: { jwk: { ...agent.key.jwk, ext: 'x'.repeat(8_192) } } });
    assert.match(await send(long), /^(invalid_dpop_proof|headers_too_large)$/);
    for (const text of ['', 'x', 'a.b.c', '..', `${encoded({})}.${encoded({})}.AA`, 'e30.e30.e30'])
      assert.equal(await send(text), 'invalid_dpop_proof', text);
  });

  test('claims of another kind', async () => {
    const wrong = [
      { jti: undefined },
      { jti: '' },
      { jti: 'x'.repeat(129) },
      { jti: 1 },
      { iat: 'now' },
      { iat: undefined },
    ];
    for (const each of wrong)
      assert.equal(await send(await proof({ claims: each })), 'invalid_dpop_proof', JSON.stringify(each));
    await assertStillWorks();
  });
});
