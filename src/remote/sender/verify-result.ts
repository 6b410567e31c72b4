import { RESULT_LOG_BYTES_MAX, RESULT_STEPS_BYTES_MAX } from '../../domain/federation/federation-limits.ts';
import { MIB } from '../../domain/limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { readResult } from '../../domain/remote/read-result.ts';
import type { ResultRecord } from '../../domain/remote/result-record.ts';
import { changedInTrees } from '../../workspace/diff-shadows.ts';
import { isFileChange } from '../../workspace/files/put-files.ts';
import { WorkspaceFault } from '../../workspace/workspace-fault.ts';
import { ignoresCase } from '../parcel/ignores-case.ts';
import { commitsBetween } from '../parcel/pack-states.ts';
import type { Parcel } from '../parcel/parcel.ts';
import { refuseParcel } from '../parcel/receive-pack.ts';
import type { StagedResult } from '../parcel/take-states.ts';
import type { WalkedTrees } from '../parcel/walk-trees.ts';
import { RECORD, statesIn } from '../receiver/pack-result.ts';
import { LOGS } from './result-log.ts';
import { receiptIn, refuseOtherFiles, type SignatureQuestion } from './verify-signature.ts';

export interface ResultQuestion extends SignatureQuestion {
  readonly dataFolder: string;
  readonly parcel: Parcel;
  readonly sent: Parcel;
  readonly bytesMax: number;
}

/** A result that is what it says, as far as anybody but its node can tell. */
export interface VerifiedResult {
  readonly record: ResultRecord;
  readonly receipt: string;
  readonly keyId: string;
  readonly logs: ReadonlyMap<(typeof LOGS)[number], Buffer>;
  /** The tree of each commit. */
  readonly trees: ReadonlyMap<string, string>;
  /** Every path of the files before and after the work, as text. */
  readonly paths: readonly string[];
}

const RECORD_BYTES_MAX = RESULT_STEPS_BYTES_MAX + 48 * MIB;

/** Verifies a result before anything of it is kept: its record, its receipt, its files, and that they belong to each other. */
export async function verifyResult(staged: StagedResult, question: ResultQuestion): Promise<VerifiedResult | Refusal> {
  const record = await recordIn(staged, question);
  if (isRefusal(record)) return record;
  const signed = await receiptIn(staged, question, record);
  if (isRefusal(signed)) return signed;
  const own = await ownCommits(staged, record);
  if (isRefusal(own)) return own;
  const commits = [...new Set([...statesIn(record), ...own])];
  const walked = await staged.walk(commits);
  if (typeof walked === 'string') return refuseParcel(walked);
  const wrong =
    refuseFiles(walked, record, question) ??
    (await refuseBase(staged, record, question)) ??
    (await refuseOtherFiles(staged, walked, { record, question, receipt: signed.receipt }));
  if (wrong) return wrong;
  const logs = new Map<(typeof LOGS)[number], Buffer>();
  for (const name of LOGS) logs.set(name, (await staged.readBeside(name, RESULT_LOG_BYTES_MAX)) ?? Buffer.alloc(0));
  const { before, after } = record.states;
  const files = [before, after].flatMap((commit) => walked.filesBelow(commit, ''));
  return {
    record,
    receipt: signed.text,
    keyId: signed.receipt.signer.keyId,
    logs,
    trees: new Map(commits.map((commit) => [commit, walked.treeOf(commit)])),
    paths: [...new Set(files.map(({ name }) => name.toString('utf8')))],
  };
}

async function recordIn(staged: StagedResult, question: ResultQuestion): Promise<ResultRecord | Refusal> {
  const { parcel, sent, digest, readJson } = question;
  const bytes = await staged.readBeside(RECORD, RECORD_BYTES_MAX);
  const reading = bytes && readJson(bytes.toString('utf8'));
  if (reading?.kind !== 'value') return refuseParcel('it has no record of the run');
  const read = readResult(reading.value);
  if (read.kind === 'misfit') return refuseParcel(`its record is not as Baton makes it: ${read.path} ${read.reason}`);
  const record = read.value;
  if (record.parcel !== digest) return refuseParcel('it is the result of other work');
  if (record.states.after !== parcel.state) return refuseParcel('its record is about other files');
  const head = sent.kind === 'files' ? sent.state : sent.baseCommit;
  if (record.states.head !== head) return refuseParcel('its work began at another commit');
  return record;
}

/** The agent's own commits, from HEAD to the last one. */
async function ownCommits({ place, own }: StagedResult, record: ResultRecord): Promise<readonly string[] | Refusal> {
  const { ownCommits: claimed, states } = record;
  if (claimed === null) return [];
  if (states.head === null) return refuseParcel('it has commits of an agent that follow none');
  try {
    const found = await commitsBetween(place, own.folder, { head: states.head, tip: claimed.tip });
    const isWhole = found?.length === claimed.count && found.at(-1) === claimed.tip;
    return isWhole ? found : refuseParcel('the commits of its agent do not follow the one that it began at');
  } catch (error) {
    if (!(error instanceof WorkspaceFault)) throw error;
    return refuseParcel('the commits of its agent are not all there');
  }
}

function refuseFiles(walked: WalkedTrees, record: ResultRecord, question: ResultQuestion): Refusal | null {
  const { dataFolder, bytesMax } = question;
  const large = statesIn(record).find((commit) => walked.sizeOf(commit).bytes > 2 * bytesMax);
  if (large !== undefined) return refuseParcel(`its files have more than ${2 * bytesMax} bytes`);
  if (walked.twins === null || !ignoresCase(dataFolder)) return null;
  return refuseParcel(`${walked.twins.join(' and ')} are one name on the disk of this node`);
}

/** The commits of submodules are not checked out there, so nothing of them counts. */
async function refuseBase(
  staged: StagedResult,
  { states }: ResultRecord,
  { sent }: ResultQuestion,
): Promise<Refusal | null> {
  const changes = await changedInTrees(staged.place, { before: sent.state, after: states.before });
  const other = changes.find(isFileChange);
  return other ? refuseParcel(`it began with other files than were sent, such as ${other.path}`) : null;
}
