import type { QuotaHold } from '../domain/quota.ts';
import { selectQuotaHold } from '../ledger/statements/quota-holds.ts';
import type { RunWorld } from './run-world.ts';

/** Null for an agent that is not ready or has no account with a vendor. */
export function accountOfAgent({ settings, accountOf }: Pick<RunWorld, 'settings' | 'accountOf'>, name: string) {
  const agent = settings().agents.find((each) => each.name === name);
  return agent ? accountOf(agent) : null;
}

/** The hold on the account of an agent; null while its vendor serves it or may be tried. */
export function quotaOfAgent(
  world: Pick<RunWorld, 'settings' | 'accountOf' | 'ledger' | 'clock'>,
  name: string,
): QuotaHold | null {
  const account = accountOfAgent(world, name);
  const hold = account === null ? null : selectQuotaHold(world.ledger.read, account);
  return hold !== null && hold.until > world.clock.now().wallMs ? hold : null;
}
