import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { randomIds } from '../../src/platform/ids.ts';
import { encodeMadeTrace } from '../../src/protocols/saop/trace-message.ts';

export function openLedger(folder: string): Ledger {
  mkdirSync(folder, { recursive: true });
  return new Ledger({
    file: join(folder, 'ledger.db'),
    clock: systemClock(),
    ids: randomIds(),
    encodeTrace: encodeMadeTrace,
    onFatal: (fault) => {
      throw fault;
    },
  });
}
