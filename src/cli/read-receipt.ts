import { RECEIPT_BYTES_MAX } from '../domain/limits.ts';
import { openBytes, readBounded } from '../platform/files.ts';
import { UsageError } from './command.ts';
import { whyUnreadable } from './read-input.ts';

/** The bytes of a receipt file, or of standard input for `-`. */
export async function readReceipt(file: string): Promise<Buffer> {
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
