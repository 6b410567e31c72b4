import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { randomIds } from '../../src/platform/ids.ts';

export function openLedger(folder: string): Ledger {
  mkdirSync(folder, { recursive: true });
  return new Ledger({
    file: join(folder, 'ledger.db'),
    clock: systemClock(),
    ids: randomIds(),
    onFatal: (fault) => {
      throw fault;
    },
  });
}
