import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Receipt, signReceipt } from '../../../src/checks/receipt.ts';
import type { ResultRecord } from '../../../src/domain/remote/result-record.ts';
import { openNodeKey } from '../../../src/platform/node-key.ts';
import type { Parcel } from '../../../src/remote/parcel/parcel.ts';
import { Forge } from './forged-parcel.ts';
import type { MemoryBlobs } from './memory-blobs.ts';
import type { Journey, ParcelStage } from './parcel-stage.ts';

/** The parts of a result, to be changed. */
export interface ResultParts {
  record: ResultRecord;
  receipt: Receipt;
  log: Buffer;
  /** The text of the record where it is not the record itself. */
  recordText?: string;
  /** Signs the receipt anew, with the key of a data folder; absent leaves its old signature. */
  signedIn?: string;
  fields?: Partial<Parcel>;
  /** Objects that do not travel, although the result names them. */
  without?: readonly string[];
}

/** A result as its node made it, taken apart so that a test can put it together otherwise. */
export class ForgedResult extends Forge {
  readonly parts: ResultParts;
  readonly #stage: ParcelStage<MemoryBlobs>;
  readonly #journey: Journey;

  constructor(stage: ParcelStage<MemoryBlobs>, journey: Journey) {
    super();
    this.#stage = stage;
    this.#journey = journey;
    for (const parcel of [journey.sent, journey.result]) this.#take(parcel);
    const read = (name: string) =>
      execFileSync('git', ['cat-file', 'blob', `${journey.result.beside}:${name}`], {
        cwd: this.root,
        maxBuffer: 2 ** 30,
      });
    this.parts = {
      record: JSON.parse(read('record.json').toString('utf8')) as ResultRecord,
      receipt: JSON.parse(read('receipt.json').toString('utf8')) as Receipt,
      log: read('output.log'),
    };
  }

  #take({ blobs }: Parcel): void {
    const pack = Buffer.concat(blobs.map(({ sha256 }) => Buffer.from(this.#stage.blobs.stored.get(sha256) ?? [])));
    mkdirSync(join(this.root, '.git/objects/pack'), { recursive: true });
    const file = join(this.root, '.git/objects/pack', `pack-${blobs[0]?.sha256.slice(0, 40)}.pack`);
    writeFileSync(file, pack);
    execFileSync('git', ['index-pack', file], { cwd: this.root, stdio: 'ignore' });
  }

  /** The tree of a commit with one file changed, added or (without content) removed. */
  withFile(commit: string, path: string, content: string | null, mode = '100644'): string {
    const env = { ...process.env, GIT_INDEX_FILE: join(this.dataFolder, 'forged-index') };
    const git = (...args: string[]) => execFileSync('git', args, { cwd: this.root, env, encoding: 'utf8' }).trim();
    git('read-tree', commit);
    if (content === null) git('update-index', '--force-remove', path);
    else git('update-index', '--add', '--cacheinfo', `${mode},${this.blob(content)},${path}`);
    return git('write-tree');
  }

  /** A parcel of the parts as they are now. */
  made(change: (parts: ResultParts) => void): Parcel {
    const { result, sent } = this.#journey;
    const parts = structuredClone(this.parts) as ResultParts;
    change(parts);
    const { record, receipt, signedIn, fields = {}, without = [], recordText = JSON.stringify(record) } = parts;
    const { signature: _, signer: __, version: ___, isSandboxed: ____, ...facts } = receipt;
    const signed = signedIn === undefined ? JSON.stringify(receipt) : signReceipt(facts, openNodeKey(signedIn));
    const files = [
      ['100644', 'output.log', this.blob(parts.log)],
      ['100644', 'receipt.json', this.blob(signed)],
      ['100644', 'record.json', this.blob(recordText)],
    ] as const;
    const beside = this.commitOf(this.tree(...files));
    const states = Object.values(record.states ?? {}).filter((commit) => typeof commit === 'string');
    const steps = (record.steps ?? []).flatMap((step) => (step.kind === 'state' ? [step.commit] : []));
    const tips = [...new Set([...states, ...steps, ...(record.ownCommits ? this.#ownCommits(record) : [])])];
    const known = new Set(
      [sent.state, ...(sent.baseCommit ? [sent.baseCommit] : [])].flatMap((tip) => this.listed(tip)),
    );
    const objects = [...tips, beside].flatMap((tip) => this.listed(tip));
    const names = [...new Set(objects)].filter((name) => !known.has(name) && !without.includes(name));
    return {
      ...this.sent(this.#stage.blobs, this.pack(names)),
      ...{ holds: 'result', about: result.about, repository: result.repository, baseCommit: result.baseCommit },
      ...{
        state: record.states?.after ?? result.state,
        beside,
        needs: result.needs,
        unpackedBytes: this.sizeOf(names),
      },
      ...fields,
    };
  }

  #ownCommits({ ownCommits, states }: ResultRecord): readonly string[] {
    try {
      return this.git('rev-list', ownCommits?.tip ?? '', `^${states.head}`)
        .split('\n')
        .filter(Boolean);
    } catch {
      return [ownCommits?.tip ?? ''];
    }
  }
}
