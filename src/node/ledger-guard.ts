import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeClient } from '../api/node-client.ts';
import { withIncident } from '../calls/task/attention-calls.ts';
import { LEDGER_LOOK_MS } from '../domain/limits.ts';
import { isRefusal, refuse } from '../domain/refusal.ts';
import { checkInChild, type LedgerCheck } from '../ledger/check-in-child.ts';
import { openLookConnection } from '../ledger/connection.ts';
import { type Damage, markDamage } from '../ledger/damage.ts';
import { LedgerFault } from '../ledger/fault.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectMeta } from '../ledger/statements/meta.ts';
import { Reader } from '../ledger/tx.ts';
import { forgetMeta, rememberMeta } from '../operations/ledger-upkeep.ts';
import type { Clock } from '../platform/clock.ts';
import { faultFacts, type Logger } from '../platform/logger.ts';
import { Loop } from '../platform/loop.ts';
import type { Timer } from '../platform/timer.ts';

/** A mark in the ledger while a node runs. If a start finds it, the last node did not stop cleanly. */
const RUNNING = 'running';
/** A mark that a node leaves which was asked to stop: what it left unfinished is not continued by others unasked. */
const STOPPED = 'stopped';
const KIND = 'ledger_damaged';

export interface GuardParts {
  readonly ledger: Ledger;
  readonly ledgerFile: string;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Logger;
  /** Called when the file of the ledger is gone: nothing that this process writes is kept any more. */
  onLost(fault: LedgerFault): void;
}

type Client = Parameters<typeof damagedClient>[0];

/**
 * Checks the ledger after an unclean stop, and refuses every write once damage is found. Ends the node when somebody removed
 * or replaced the file of the ledger.
 */
export class LedgerGuard {
  readonly #parts: GuardParts;
  #check: LedgerCheck | null = null;
  #damage: Damage | null = null;
  readonly #file: string | null;
  readonly #looks: Loop;

  constructor(parts: GuardParts) {
    this.#parts = parts;
    this.#file = fileAt(parts.ledgerFile);
    const { timer, log } = parts;
    const onFault = (error: unknown) => log.log('ledger.look_failed', faultFacts(error));
    this.#looks = new Loop({ timer, everyMs: LEDGER_LOOK_MS, tick: async () => this.#look(), onFault });
  }

  get isDamaged(): boolean {
    return this.#damage !== null;
  }

  async start(): Promise<void> {
    const { ledger, log } = this.#parts;
    this.#looks.start();
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
    await this.#looks.stop();
    // Until it ends it has the ledger open, and the WAL file could not be removed.
    if (check) await check.end();
    if (this.isDamaged) return;
    const { ledger, clock } = this.#parts;
    if (isAsked) await ledger.submit(rememberMeta, { key: STOPPED, value: String(clock.now().wallMs) });
    await ledger.submit(forgetMeta, { key: RUNNING });
  }

  #look(): void {
    const { ledger, ledgerFile, onLost } = this.#parts;
    if (fileAt(ledgerFile) === this.#file) return;
    const message = `${ledgerFile} was removed or replaced while this node had it open: the node ends, start another`;
    ledger.refuseWrites(refuse('ledger_damaged', message));
    onLost(new LedgerFault('look', message, { retryable: false, code: 'ledger_damaged' }));
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

/** The identity of the file at a path; null if there is none. */
function fileAt(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : null;
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

/** A client whose status and attention queue report the damage of the ledger, which cannot record it. */
function damagedClient(client: NodeClient, kind: string, damage: () => Damage | null): NodeClient {
  const incident = () => {
    const found = damage();
    return (
      found && { id: '', kind, taskId: null, detail: `all writes are refused: ${found.finding}`, at: found.foundAt }
    );
  };
  return {
    ...client,
    status: async () => {
      const status = await client.status();
      const found = incident();
      if (found === null || isRefusal(status)) return status;
      const { at: openedAt, ...about } = found;
      const attention = withIncident(status.attention, { ...about, openedAt: Date.parse(openedAt) });
      return { ...status, attention, incidents: [{ ...about, openedAt }, ...status.incidents] };
    },
    listAttention: async (request = {}) => {
      const list = await client.listAttention(request);
      const found = incident();
      if (found === null || isRefusal(list) || request.task !== undefined) return list;
      return withIncident(list, { ...found, openedAt: Date.parse(found.at) });
    },
  };
}
