import { NDJSON_LINE_BYTES_MAX } from '../../domain/limits.ts';
import { openBytes, readBounded } from '../../platform/files.ts';
import { type Call, UsageError } from '../command.ts';
import { textOrInput } from '../read-text.ts';

/** decisions §1, Detection: one word that looks like a file is a file, anything else is words. */
const FILE_LIKE = /^\S*\/\S*$|^\S+\.(json|md|txt)$/i;

/** What is to be done: from a file, from standard input, or in words. */
export async function readOrderText(call: Call): Promise<string> {
  const [word, ...others] = call.words;
  if (word === undefined) {
    if (process.stdin.isTTY) throw new UsageError('run: what is to be done?', 'baton run "add tests for src/money.ts"');
    return await textOrInput('-', NDJSON_LINE_BYTES_MAX);
  }
  if (others.length > 0) return call.words.join(' ');
  if (word === '-') return await textOrInput('-', NDJSON_LINE_BYTES_MAX);
  if (word.trim() === '') throw new UsageError('run: what is to be done?', 'baton run "add tests for src/money.ts"');
  return FILE_LIKE.test(word) ? await readFileText(word) : word;
}

async function readFileText(file: string): Promise<string> {
  try {
    const bytes = await readBounded(openBytes(file), NDJSON_LINE_BYTES_MAX);
    if (bytes.length > NDJSON_LINE_BYTES_MAX) {
      throw new UsageError(`${file} is too long`, `at most ${NDJSON_LINE_BYTES_MAX} bytes`, 'E_CONTEXT_OVERFLOW');
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const what = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not valid UTF-8' : (code ?? String(error));
    throw new UsageError(
      `cannot read ${file}: ${what}`,
      'look at the path; plain words need a blank',
      'unreadable_file',
    );
  }
}
