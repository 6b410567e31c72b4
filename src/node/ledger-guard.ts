import { join } from 'node:path';
import { isRefusal, refuse } from '../domain/refusal.ts';
import { checkInChild, type LedgerCheck } from '../ledger/check-in-child.ts';
import { openLookConnection } from '../ledger/connection.ts';
import { type Damage, markDamage } from '../ledger/damage.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectMeta } from '../ledger/statements/meta.ts';
import { Reader } from '../ledger/tx.ts';
import { forgetMeta, rememberMeta } from '../operations/ledger-upkeep.ts';
import type { Clock } from '../platform/clock.ts';
import { faultFacts, type Logger } from '../platform/logger.ts';
import { damagedClient } from './damaged-client.ts';

/** A mark in the ledger while a node runs. If a start finds it, the last node did not stop cleanly. */
const RUNNING = 'running';
/** A mark that a node leaves which was asked to stop: what it left unfinished is not continued by others unasked. */
const STOPPED = 'stopped';
const KIND = 'ledger_damaged';

export interface GuardParts {
  readonly ledger: Ledger;
  readonly ledgerFile: string;
  readonly clock: Clock;
  readonly log: Logger;
}

type Client = Parameters<typeof damagedClient>[0];

/** Checks the ledger after an unclean stop, and refuses every write once damage is found. */
export class LedgerGuard {
  readonly #parts: GuardParts;
  #check: LedgerCheck | null = null;
  #damage: Damage | null = null;

  constructor(parts: GuardParts) {
    this.#parts = parts;
  }

  get isDamaged(): boolean {
    return this.#damage !== null;
  }

  async start(): Promise<void> {
    const { ledger, log } = this.#parts;
    await ledger.submit(forgetMeta, { key: STOPPED });
    const marked = await ledger.submit(rememberMeta, { key: RUNNING, value: String(process.pid) });
    if (isRefusal(marked) || marked.before === null) return;
    log.log('ledger.unclean', { lastNode: marked.before });
    void this.#checkLedger();
  }

  /** A client whose answers report the damage. */
  watch(client: Client): Client {
    return damagedClient(client, KIND, () => this.#damage);
  }

  /** Removes the mark, unless the ledger is damaged. */
  async stop(isAsked: boolean): Promise<void> {
    const check = this.#check;
    this.#check = null;
    // Until it ends it has the ledger open, and the WAL file could not be removed.
    if (check) await check.end();
    if (this.isDamaged) return;
    const { ledger, clock } = this.#parts;
    if (isAsked) await ledger.submit(rememberMeta, { key: STOPPED, value: String(clock.now().wallMs) });
    await ledger.submit(forgetMeta, { key: RUNNING });
  }

  async #checkLedger(): Promise<void> {
    const { ledgerFile, log } = this.#parts;
    const check = checkInChild(ledgerFile);
    this.#check = check;
    try {
      const finding = await check.finding;
      if (finding === null) log.log('ledger.checked');
      else this.#stopWrites(finding);
    } catch (error) {
      // A check that was ended with the node is no failure.
      if (this.#check) log.log('ledger.check_failed', faultFacts(error));
    }
  }

  #stopWrites(finding: string): void {
    const { ledger, ledgerFile, clock, log } = this.#parts;
    const damage = { finding, foundAt: new Date(clock.now().wallMs).toISOString() };
    this.#damage = damage;
    ledger.refuseWrites(refuse(KIND, 'the ledger is damaged: it can be read, but not changed'));
    log.log('ledger.damaged', { finding });
    markDamage(ledgerFile, damage);
  }
}

/** Whether somebody asked the last node of a folder to stop. The caller holds the lock. */
export function wasAskedToStop(dataFolder: string): boolean {
  const db = openLookConnection(join(dataFolder, 'ledger.sqlite'));
  try {
    return selectMeta(new Reader(db), STOPPED) !== null;
  } finally {
    db.close();
  }
}
