import { join } from 'node:path';
import { type ReadJson, type Receipt, verifyReceipt } from '../../checks/receipt.ts';
import type { MadeCheck } from '../../domain/execution/check-result.ts';
import { RECEIPT_BYTES_MAX } from '../../domain/limits.ts';
import { SIGNALS } from '../../domain/order/record-words.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { ResultRecord } from '../../domain/remote/result-record.ts';
import { maskValue } from '../../domain/secrets/mask-secrets.ts';
import { FOLDER_MODES, LINK_MODE, SUBMODULE_MODE } from '../../domain/work/judge-tree.ts';
import { hashObjects } from '../parcel/hash-objects.ts';
import { refuseParcel } from '../parcel/receive-pack.ts';
import type { StagedResult } from '../parcel/take-states.ts';
import type { WalkedTrees } from '../parcel/walk-trees.ts';
import { RECEIPT } from '../receiver/pack-result.ts';

export interface SignatureQuestion {
  /** Names the parcel that was sent. */
  readonly digest: string;
  /** The key that is pinned for the node, as base64url. */
  readonly publicKey: string;
  /** The folder of the work within its repository; empty for the root. */
  readonly folder: string;
  readonly readJson: ReadJson;
}

export interface SignedReceipt {
  readonly text: string;
  readonly receipt: Receipt;
}

/** The receipt of the run, signed by the key that is pinned for the node, and about this work. */
export async function receiptIn(
  staged: StagedResult,
  { publicKey, digest, readJson }: SignatureQuestion,
  record: ResultRecord,
): Promise<SignedReceipt | Refusal> {
  const bytes = await staged.readBeside(RECEIPT, RECEIPT_BYTES_MAX);
  if (bytes === null) return refuseParcel('it has no receipt');
  const verified = verifyReceipt(bytes, readJson);
  if (verified.verdict === 'broken') return refuseParcel(`its receipt is broken: ${verified.path} ${verified.reason}`);
  const { receipt } = verified;
  if (receipt.signer.publicKey !== publicKey)
    return refuseParcel('its receipt is signed by another key than its node has');
  const { states, outcome } = record;
  const facts: readonly (readonly [what: string, isSo: boolean])[] = [
    ['other work', receipt.parcel === digest],
    ['another task', receipt.task === record.task],
    ['another run', receipt.run === record.run],
    ['files before another work', receipt.commitBefore === states.before],
    ['files after another work', receipt.commitAfter === (states.rolledBack ?? states.after)],
    ['another verdict', receipt.verdict.signal === SIGNALS[outcome.verdict]],
    ['another verdict', receipt.verdict.isChecked === (outcome.verdict === 'checked')],
    ['other checks', isSame(receipt.checksBefore, record.checksBefore)],
    ['other checks', isSame(receipt.checksAfter, record.checksAfter ?? [])],
  ];
  const misfit = facts.find(([, isSo]) => !isSo);
  if (misfit) return refuseParcel(`its receipt is about ${misfit[0]}`);
  return { text: bytes.toString('utf8'), receipt };
}

/** Texts of a record are masked, and those of a receipt need not be. */
function isSame(signed: readonly MadeCheck[], told: readonly MadeCheck[]): boolean {
  const brief = (checks: readonly MadeCheck[]) =>
    JSON.stringify(
      checks.map(({ id, kind, command, expects, path, result, exitCode }) =>
        maskValue({ id, kind, command, expects, path, result, exitCode }),
      ),
    );
  return brief(signed) === brief(told);
}

export interface SignedFiles {
  readonly record: ResultRecord;
  readonly question: SignatureQuestion;
  readonly receipt: Receipt;
}

const NO_FILE: readonly string[] = [...FOLDER_MODES, LINK_MODE, SUBMODULE_MODE];

/** The files that the receipt names by their hash are those of the work. One that git ignores did not travel. */
export async function refuseOtherFiles(
  { place }: StagedResult,
  walked: WalkedTrees,
  { record, question, receipt }: SignedFiles,
): Promise<Refusal | null> {
  const { after, verified, rolledBack } = record.states;
  const left = rolledBack ?? verified ?? after;
  const named = receipt.files
    .filter(({ path }) => !path.startsWith('/') && !path.split('/').includes('..'))
    .flatMap(({ path, sha256, size }) => {
      const entry = walked.entryAt(left, Buffer.from(join(question.folder, path)).toString('latin1'));
      return entry === null || NO_FILE.includes(entry.mode) ? [] : [{ path, sha256, size, object: entry.object }];
    });
  const hashes = await hashObjects(
    place,
    named.map(({ object }) => object),
  );
  const other = named.find(({ object, sha256, size }) => {
    const found = hashes.get(object);
    return found?.sha256 !== sha256 || found.bytes !== size;
  });
  return other ? refuseParcel(`its receipt is about other files: ${JSON.stringify(other.path)} differs`) : null;
}
