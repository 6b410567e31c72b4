import { openBytes, readBounded } from '../platform/files.ts';
import { UsageError } from './command.ts';

/** A text given as a flag: itself, or - for what comes on standard input. */
export async function textOrInput(given: string, bytesMax: number): Promise<string> {
  if (given !== '-') return given;
  const bytes = await readBounded(openBytes('-'), bytesMax);
  if (bytes.length > bytesMax) throw new UsageError('standard input is too long', `at most ${bytesMax} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Thrown for bytes that are no UTF-8, and for nothing else.
    throw new UsageError('standard input is no text', 'give it as UTF-8');
  }
}
