import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after } from 'node:test';
import type { LedgerFault } from '../../src/ledger/fault.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { Ids } from '../../src/platform/ids.ts';
import { encodeMadeTrace } from '../../src/protocols/saop/trace-message.ts';
import { countableIds } from './countable-ids.ts';
import { TestClock } from './test-clock.ts';

/** A ledger in a real file, under a clock that the test moves. */
export interface TestLedger {
  ledger: Ledger;
  readonly file: string;
  readonly folder: string;
  readonly clock: TestClock;
  readonly ids: Ids;
  /** The faults passed to onFatal. */
  readonly faults: LedgerFault[];
  /** Closes it and opens the same file again. */
  reopen(): Ledger;
  /** A second connection, as another process would have. */
  look(): DatabaseSync;
}

let suiteFolder: string | undefined;
let opened = 0;

/** One folder a test file, removed when it ends. */
export function suiteScratch(): string {
  if (suiteFolder === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'baton-ledger-'));
    suiteFolder = folder;
    after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  }
  return suiteFolder;
}

export function openTestLedger(folder = join(suiteScratch(), String(++opened))): TestLedger {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'ledger.sqlite');
  const clock = new TestClock();
  const ids = countableIds();
  const faults: LedgerFault[] = [];
  const open = () =>
    new Ledger({ file, clock, ids, encodeTrace: encodeMadeTrace, onFatal: (fault) => faults.push(fault) });
  const opening: TestLedger = {
    ledger: open(),
    file,
    folder,
    clock,
    ids,
    faults,
    reopen: () => {
      opening.ledger.close();
      opening.ledger = open();
      return opening.ledger;
    },
    look: () => new DatabaseSync(file, { readOnly: true }),
  };
  return opening;
}
