import type { ExchangeFact } from './exchange-fact.ts';
import { type Exchange, replayExchange, takeExchangeFact } from './feedback-exchange.ts';

/** The state of an exchange at the end of each of its rounds, oldest first; the last one may be under way. */
export function roundsOf([first, ...later]: readonly ExchangeFact[]): readonly Exchange[] {
  const rounds: Exchange[] = [];
  let exchange = first ? replayExchange([first]) : null;
  for (const fact of later) {
    if (exchange === null) break;
    exchange = takeExchangeFact(exchange, fact);
    if (exchange.round > 0) rounds[exchange.round - 1] = exchange;
  }
  return rounds;
}
