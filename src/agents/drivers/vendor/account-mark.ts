import { createHash } from 'node:crypto';
import { accountName } from '../../../domain/agent/quota.ts';

const MARK_CHARACTERS = 8;

/**
 * Names the account behind a vendor's login: the same for every agent that uses it, and nothing of a key can be read from
 * it. The parts are keys, addresses and folders; the first key that is set decides.
 */
export function accountMark(vendor: string, parts: readonly (string | null | undefined)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part ?? ''}\n`);
  return accountName(vendor, hash.digest('hex').slice(0, MARK_CHARACTERS));
}
