import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { NodeKey } from '../../../src/platform/node-key.ts';

/** The keys of a simulated node. */
export function memoryKey(): NodeKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url');
  const exchange = generateKeyPairSync('x25519').privateKey;
  return {
    publicKey: raw,
    keyId: createHash('sha256').update(raw).digest('hex'),
    sign: (bytes) => sign(null, bytes, privateKey),
    exchangeKey: () => exchange,
    secretFor: (purpose) => createHash('sha256').update(raw).update(purpose).digest(),
  };
}
