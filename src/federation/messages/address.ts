import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Directory } from '../directory.ts';
import type { Recipient } from '../outbox.ts';

const EVERYBODY = 'all';

/** The recipients that addresses stand for now; `all` alone means every active agent but the sender (Runtime §3.2). */
export async function findRecipients(
  directory: Directory,
  addresses: readonly string[],
  sender: string,
): Promise<readonly Recipient[] | Refusal> {
  const named = [...new Set(addresses)];
  if (named.length === 0) return refuse('invalid_targets', 'a message needs a recipient', '/to');
  if (named.includes(EVERYBODY)) {
    if (named.length > 1) return refuse('invalid_targets', '"all" stands alone, or not at all', '/to');
    const everybody = (await directory.activeAgents()).filter(({ agent }) => agent !== sender);
    return everybody.length > 0
      ? everybody
      : refuse('invalid_targets', 'no other agent is active in the federation', '/to');
  }
  const found: Recipient[] = [];
  const unknown: string[] = [];
  for (const address of named) {
    const recipient = await directory.routeTo(address);
    if (recipient) found.push(recipient);
    else unknown.push(address);
  }
  if (unknown.length === 0) return found;
  const refusal = refuse('invalid_targets', `nobody in the federation is called ${unknown.join(' or ')}`, '/to');
  return { ...refusal, hint: 'baton node status lists the nodes and their agents' };
}
