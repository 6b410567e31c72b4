import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { backUpLedger } from '../../ledger/backup.ts';
import type { BackupAnswer, RebuildAnswer } from '../contract.ts';

export interface UpkeepParts {
  readonly dataFolder: string;
  readonly ledgerFile: string;
  rebuildTree(): Promise<Pick<RebuildAnswer, 'tasks' | 'failed' | 'events'>>;
}

/** What is done for the data folder itself. */
export class UpkeepCalls {
  readonly #parts: UpkeepParts;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
  }

  async rebuild(): Promise<RebuildAnswer> {
    const { tasks, failed, events } = await this.#parts.rebuildTree();
    return { from: 'ledger', data: this.#parts.dataFolder, tasks, failed, events };
  }

  async backup(file: string, { force = false }: { readonly force?: boolean } = {}): Promise<BackupAnswer | Refusal> {
    const facts = await backUpLedger({ ledger: this.#parts.ledgerFile, file, force });
    return isRefusal(facts) ? facts : { file, ...facts };
  }
}
