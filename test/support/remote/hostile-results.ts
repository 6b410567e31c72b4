import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '../../../src/domain/refusal.ts';
import type { Parcel } from '../../../src/remote/parcel/parcel.ts';
import { filesBelow, TestRepository } from '../test-repository.ts';
import { ForgedResult } from './forged-result.ts';
import type { MemoryBlobs } from './memory-blobs.ts';
import { type Journey, ParcelNode, ParcelStage } from './parcel-stage.ts';

const COMMIT = 'git add -A && git -c user.name=agent -c user.email=agent@x commit -q -m';
const SCRIPT = `echo changed > readme.md && ${COMMIT} mine && echo out > out.txt`;

interface Setting {
  readonly stage: ParcelStage<MemoryBlobs>;
  readonly stranger: ParcelNode;
  readonly repository: TestRepository;
  readonly journey: Journey;
  readonly other: Journey;
}

function travel({ stage, repository }: Pick<Setting, 'stage' | 'repository'>, objective = SCRIPT): Promise<Journey> {
  const outputs = [{ type: 'FILE', path: 'out.txt', description: 'it' }];
  return stage.there(repository.root, 'runs-a-script', { task: { objective, expected_outputs: outputs } });
}

function dirtyRepository(): TestRepository {
  const repository = new TestRepository();
  repository.write('kept', 'kept\n');
  repository.commit('kept');
  repository.write('dirty', 'dirty\n');
  return repository;
}

/** A task that another node did, with a result to forge, one more such task, and a node that did neither. */
export class HostileResults {
  readonly stage: ParcelStage<MemoryBlobs>;
  readonly stranger: ParcelNode;
  readonly journey: Journey;
  readonly other: Journey;
  /** The result of the journey, taken apart. */
  readonly forged: ForgedResult;
  readonly #repository: TestRepository;

  private constructor({ stage, stranger, repository, journey, other }: Setting) {
    this.stage = stage;
    this.stranger = stranger;
    this.#repository = repository;
    this.journey = journey;
    this.other = other;
    this.forged = new ForgedResult(stage, journey);
  }

  static async open(): Promise<HostileResults> {
    const stage = await ParcelStage.open();
    const stranger = await ParcelNode.open('stranger', { isSender: true });
    const repository = dirtyRepository();
    const journey = await travel({ stage, repository });
    const other = await travel({ stage, repository }, `${SCRIPT} && echo other > other.txt`);
    return new HostileResults({ stage, stranger, repository, journey, other });
  }

  /** One more task of the same repository that the other node did. */
  travel(): Promise<Journey> {
    return travel({ stage: this.stage, repository: this.#repository });
  }

  /** Refused for this reason, and nothing here changes. */
  async assertRefused(result: Parcel | unknown, reason: RegExp, more: object = {}): Promise<void> {
    const before = this.#stateHere();
    const answer = await this.stage.import({ ...this.journey, result: result as Parcel }, more);
    assert.ok(isRefusal(answer), JSON.stringify(answer));
    assert.match(answer.message, reason);
    assert.deepEqual(this.#stateHere(), before);
  }

  /** Everything here that an import could change. */
  #stateHere() {
    const { dataFolder, node } = this.stage.sender;
    const counts = ['events', 'run_facts', 'agent_logs', 'points', 'runs'].map((table) =>
      node.ledger.read.tuple(`SELECT count(*) FROM ${table}`),
    );
    const kept = filesBelow(join(dataFolder, 'shadows'), '', /^$/);
    const stable = Object.entries(kept).filter(
      ([path]) => !/(index|read-at|index-state\.json|travel-shallow|made-for|info\/\w+|intake.*)$/.test(path),
    );
    const folders = readdirSync(dataFolder).filter((name) => !/sqlite|events|node/.test(name));
    return { counts, shadows: Object.fromEntries(stable), folders, files: this.#repository.fingerprint() };
  }
}
