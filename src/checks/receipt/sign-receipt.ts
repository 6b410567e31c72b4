import { canonicalJson } from '../../domain/canonical-json.ts';
import type { NodeKey } from '../../platform/node-key.ts';
import { RECEIPT_VERSION, type Receipt, type ReceiptFacts } from './receipt.ts';

/** Finer than this, two texts of a number can mean the same, and a change of one would go unseen. */
const USD_DECIMALS = 6;

/** The text of a receipt: RFC 8785, so that every byte of it counts. */
export function signReceipt(facts: ReceiptFacts, key: NodeKey): string {
  const signed = wellFormed({
    ...facts,
    cost: { ...facts.cost, usd: Number(facts.cost.usd.toFixed(USD_DECIMALS)), tokens: Math.round(facts.cost.tokens) },
    version: RECEIPT_VERSION,
    isSandboxed: facts.sandbox !== 'none',
    signer: {
      algorithm: 'Ed25519',
      publicKey: Buffer.from(key.publicKey).toString('base64url'),
      keyId: key.keyId,
    },
  } satisfies Omit<Receipt, 'signature'>);
  const signature = Buffer.from(key.sign(Buffer.from(textOf(signed), 'utf8'))).toString('base64url');
  return textOf({ ...(signed as object), signature });
}

function textOf(value: unknown): string {
  const answer = canonicalJson(value);
  if (answer.kind === 'none') throw new Error(`a receipt has no canonical text at ${answer.path}: ${answer.reason}`);
  return answer.text;
}

/** What an agent printed may hold half a character, which no canonical text can. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]));
}
