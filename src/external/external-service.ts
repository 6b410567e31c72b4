import type { Ledger } from '../ledger/ledger.ts';
import { selectMeta } from '../ledger/statements/meta.ts';
import type { Clock } from '../platform/clock.ts';
import type { NodeKey } from '../platform/node-key.ts';
import type { Timer } from '../platform/timer.ts';
import { AccessTokens } from './access-tokens.ts';
import { CallRates } from './call-rates.ts';
import { ExternalAccess } from './external-access.ts';
import { Nonces } from './nonces.ts';
import { OpenStreams } from './open-streams.ts';
import { RefusedCalls } from './refused-calls.ts';
import { TokenCalls } from './token-calls.ts';

export interface ExternalServiceParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly key: Pick<NodeKey, 'secretFor'>;
  onFault(error: unknown): void;
}

/** Everything that the routes for external agents need. Loaded with the first request to one of them. */
export class ExternalService {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly access: ExternalAccess;
  readonly tokens: TokenCalls;
  readonly streams: OpenStreams;

  constructor(parts: ExternalServiceParts) {
    const { ledger, clock, timer, key } = parts;
    this.ledger = ledger;
    this.clock = clock;
    const rates = new CallRates();
    const accessParts = {
      ledger,
      clock,
      rates,
      tokens: new AccessTokens(key, selectMeta(ledger.read, 'project') ?? ''),
      nonces: new Nonces(key.secretFor('baton nonces 1')),
      refused: new RefusedCalls({ ...parts, rates }),
    };
    this.access = new ExternalAccess(accessParts);
    this.tokens = new TokenCalls(accessParts, this.access);
    this.streams = new OpenStreams({ ledger, timer });
  }
}
