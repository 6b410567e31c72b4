import { type ReceiptVerdict, verifyReceipt } from '../../checks/receipt.ts';
import { RECEIPT_BYTES_MAX } from '../../domain/limits.ts';
import { openBytes, readBounded } from '../../platform/files.ts';
import { readJsonText } from '../../protocols/read-json-text.ts';
import { answerOf } from '../answers.ts';
import { type Command, UsageError } from '../command.ts';
import { brokenReceiptText, receiptText, type VerifiedReceipt } from '../output/receipt-text.ts';
import { whyUnreadable } from '../read-input.ts';

const EXIT_BROKEN = 1;

export const verifyCommand: Command = {
  usage: 'baton receipt verify FILE [--json]',
  about: [
    'Checks that a receipt is unchanged since it was signed. It needs only the file: no data folder, no node, no network.',
    'The receipt contains the key; compare the key id with one that you trust.',
    'Exit 0: valid. Exit 1: broken, with the path of the change. Exit 2: the file cannot be read.',
  ].join('\n'),
  examples: [
    'baton receipt verify .baton/runs/TASK-2026-02-09-057/receipt.json',
    'baton receipt verify --json - < receipt.json',
  ],
  ignores: ['data', 'key'],
  flags: {},
  async run({ words }) {
    const [file, tooMany] = words;
    if (file === undefined || tooMany !== undefined)
      throw new UsageError('receipt verify: needs exactly one file', 'baton receipt verify FILE');
    const verified = verifiedOf(file, verifyReceipt(await readReceipt(file), readJsonText));
    return answerOf(verified, {
      say: (value, look) => (value.verdict === 'valid' ? receiptText(value, look) : brokenReceiptText(value, look)),
      exitCode: ({ verdict }) => (verdict === 'valid' ? 0 : EXIT_BROKEN),
    });
  },
};

async function readReceipt(file: string): Promise<Buffer> {
  let bytes: Buffer;
  try {
    bytes = await readBounded(openBytes(file), RECEIPT_BYTES_MAX);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(
      `cannot read ${file}: ${whyUnreadable(code)}`,
      'baton receipt verify FILE; receipts are runs/TASK/receipt.json in the data folder',
      'unreadable_file',
    );
  }
  if (bytes.length > RECEIPT_BYTES_MAX)
    throw new UsageError(`${file} is longer than a receipt can be`, 'baton receipt verify FILE', 'unreadable_file');
  return bytes;
}

function verifiedOf(file: string, verified: ReceiptVerdict): VerifiedReceipt {
  if (verified.verdict === 'broken') return { file, ...verified };
  const { task, run, agent, endedAt, isSandboxed, verdict, signer, checksAfter, files, claim } = verified.receipt;
  const count = (result: string) => checksAfter.filter((check) => check.result === result).length;
  return {
    file,
    verdict: 'valid',
    keyId: signer.keyId,
    task,
    run,
    agent,
    endedAt,
    signal: verdict.signal,
    isChecked: verdict.isChecked,
    isSandboxed,
    checks: { passed: count('passed'), failed: count('failed'), couldNotRun: count('could-not-run') },
    files: files.length,
    claimed: claim?.signal ?? null,
  };
}
