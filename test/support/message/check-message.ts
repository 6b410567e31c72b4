import { readMessage } from '../../../src/protocols/read-message.ts';

/** Why a message is not accepted; empty where it is. */
export async function checkMessage(message: object): Promise<readonly unknown[]> {
  const { verdict } = await readMessage(JSON.stringify(message));
  if (verdict.verdict === 'accepted') return [];
  return verdict.verdict === 'malformed' ? verdict.errors : [verdict];
}
