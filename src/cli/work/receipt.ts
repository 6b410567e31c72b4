import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeClient } from '../../api/node-client.ts';
import { compareFiles, type FileComparison } from '../../checks/checked-files.ts';
import { type Receipt, verifyReceipt } from '../../checks/receipt.ts';
import { RECEIPT_BYTES_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { isTakenBack } from '../../domain/work/work-state.ts';
import { openBytes, readBounded } from '../../platform/files/files.ts';
import { readJsonText } from '../../protocols/read-json-text.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { seenFolderOf } from '../call-folder.ts';
import { type Call, type CliCommand, UsageError } from '../command.ts';
import { openSeen } from '../node/open-client.ts';
import { whyUnreadable } from '../read-input.ts';
import { findSigner } from './receipt-signer.ts';
import { receiptText, type VerifiedReceipt, whatToDoNext } from './receipt-text.ts';

const EXIT: Readonly<Record<VerifiedReceipt['verdict'], number>> = { valid: 0, broken: 1, unknown_key: 3, stale: 3 };

export const receiptVerifyCommand: CliCommand = {
  usage: 'baton receipt verify FILE | TASK [--json]',
  about: [
    [
      'Checks a receipt: whether it is unchanged since it was signed, whose key signed it, and whether the files still are as',
      'they were checked. A file needs no data folder, no node and no network. A key counts if it is of this node, of another',
      'data folder of yours, of a node whose result came here, or in known_keys of your configuration.',
    ].join(' '),
    [
      'Exit 0: valid. 1: broken, with the path of the change. 3: signed by an unknown key, or files changed since. 2: there is',
      'no receipt, or it cannot be read.',
    ].join(' '),
  ].join('\n'),
  examples: [
    'baton receipt verify @',
    'baton receipt verify .baton/runs/TASK-2026-02-09-057/receipt.json',
    'baton receipt verify --json - < receipt.json',
    'baton config set known_keys.anna 3f…e1 --mine',
  ],
  ignores: ['key'],
  flags: {},
  async run(call) {
    const verified = await verifyNamed(call);
    return answerOfCall(verified, { say: receiptText, next: whatToDoNext, exitCode: ({ verdict }) => EXIT[verdict] });
  },
};

/** One word that is a path or an existing file is a file, anything else names a task. */
async function verifyNamed(call: Call): Promise<VerifiedReceipt | Refusal> {
  const [word, ...others] = call.words;
  if (word === undefined || call.words.join('').trim() === '')
    throw new UsageError(
      'receipt verify: needs a file or a task',
      'baton receipt verify FILE, or baton receipt verify @',
    );
  const isFile = others.length === 0 && (word === '-' || /[/\\]|\.json$/.test(word) || existsSync(word));
  return isFile ? await verifyFile(call, word) : await verifyTask(call, call.words.join(' '));
}

async function verifyFile(call: Call, file: string): Promise<VerifiedReceipt> {
  const verified = verifyReceipt(await readReceipt(file), readJsonText);
  if (verified.verdict === 'broken') return { file, ...verified };
  return verifiedOf(call, { file, receipt: verified.receipt, files: await compareFiles(verified.receipt) });
}

/** The node knows where the work of its task is, also in a worktree. */
async function verifyTask(call: Call, reference: string): Promise<VerifiedReceipt | Refusal> {
  const { client } = await openSeen(call);
  try {
    const report = await client.orderReport({ task: reference });
    if (isRefusal(report)) return (await verifyLeft(call, client, reference)) ?? report;
    if (report.receipt === null) return withoutReceipt(report.task.id, report.isOver);
    const { file, staleFiles } = report.receipt;
    const verified = verifyReceipt(await readReceipt(file), readJsonText);
    if (verified.verdict === 'broken') return { file, ...verified };
    const { receipt } = verified;
    // The report does not compare work that was taken back.
    const files = isTakenBack(report.task.work)
      ? await compareFiles(receipt)
      : ({ kind: 'compared', staleFiles } as const);
    return verifiedOf(call, { file, receipt, files });
  } finally {
    await client.close();
  }
}

/** The receipt of a task whose order was lost with an earlier ledger; null where there is none. */
async function verifyLeft(call: Call, client: NodeClient, reference: string): Promise<VerifiedReceipt | null> {
  const task = await client.showTask({ task: reference });
  const file = isRefusal(task) ? '' : join(seenFolderOf(call), 'runs', task.id, 'receipt.json');
  return existsSync(file) ? await verifyFile(call, file) : null;
}

function withoutReceipt(task: string, isOver: boolean): Refusal {
  const why = isOver
    ? 'has no receipt: no agent was started, or its file is gone'
    : 'has no receipt yet: it is not over';
  return { ...refuse('task_not_found', `${task} ${why}`), hint: `baton task show ${task}` };
}

interface Intact {
  readonly file: string;
  readonly receipt: Receipt;
  readonly files: FileComparison;
}

function verifiedOf(call: Call, { file, receipt, files }: Intact): VerifiedReceipt {
  const { task, run, agent, endedAt, isSandboxed, verdict, checksAfter, claim } = receipt;
  const count = (result: string) => checksAfter.filter((check) => check.result === result).length;
  const signer = findSigner(call, receipt.signer.keyId);
  const { filesLeftOut } = receipt;
  // Nobody can tell whether a file that is not in the receipt is as it was checked.
  const isStale = files.kind === 'compared' && (files.staleFiles.length > 0 || filesLeftOut > 0);
  return {
    file,
    verdict: signer.kind === 'unknown' ? 'unknown_key' : isStale ? 'stale' : 'valid',
    keyId: receipt.signer.keyId,
    signer: signer.kind,
    signerName: signer.name,
    isSignerFolder: signer.isFolder,
    isSignerNode: signer.isNode,
    task,
    run,
    agent,
    endedAt,
    signal: verdict.signal,
    isChecked: verdict.isChecked,
    isSandboxed,
    checks: { passed: count('passed'), failed: count('failed'), couldNotRun: count('could-not-run') },
    files: receipt.files.length,
    filesLeftOut,
    staleFiles: files.kind === 'compared' ? files.staleFiles : null,
    workspace: receipt.workspace,
    claimed: claim?.signal ?? null,
  };
}

/** The bytes of a receipt file, or of standard input for `-`. */
async function readReceipt(file: string): Promise<Buffer> {
  let bytes: Buffer;
  try {
    bytes = await readBounded(openBytes(file), RECEIPT_BYTES_MAX);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(
      `cannot read ${file}: ${whyUnreadable(code)}`,
      'baton receipt verify TASK finds the file by itself; it is runs/TASK/receipt.json in the data folder',
      'unreadable_file',
    );
  }
  if (bytes.length > RECEIPT_BYTES_MAX)
    throw new UsageError(`${file} is longer than a receipt can be`, 'baton receipt verify FILE', 'unreadable_file');
  return bytes;
}
