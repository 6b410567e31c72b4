import { NDJSON_LINE_BYTES_MAX } from '../../domain/limits.ts';
import { openBytes, readBounded } from '../../platform/files.ts';
import { type Call, UsageError } from '../command.ts';
import { textOrInput } from '../read-text.ts';
import { whyUnreadable } from '../why-unreadable.ts';

/** decisions §1, Detection: one word that looks like a file is a file, anything else is words. */
const FILE_LIKE = /^\S*\/\S*$|^\S+\.(json|md|txt)$/i;
const EXAMPLE = 'baton run "add tests for src/money.ts"';

/** What is to be done: from a file, from standard input, or in words. */
export async function readOrderText(call: Call): Promise<string> {
  const [word = '-', ...others] = call.words;
  if (others.length > 0) return said(call.words.join(' '), '');
  if (call.words.length === 0 && process.stdin.isTTY) throw nothingSaid('');
  if (word === '-') return said(await textOrInput('-', NDJSON_LINE_BYTES_MAX), ' standard input is empty');
  return FILE_LIKE.test(word) ? said(await readFileText(word), ` ${word} is empty`) : said(word, '');
}

function said(text: string, why: string): string {
  if (text.trim() === '') throw nothingSaid(why);
  return text;
}

function nothingSaid(why: string): UsageError {
  return new UsageError(`run: what is to be done?${why}`, EXAMPLE);
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
    const { code = String(error) } = error as NodeJS.ErrnoException;
    const hint =
      code === 'EISDIR'
        ? `${EXAMPLE} --workspace ${file}`
        : 'look at the path; one word with a slash, or that ends in .json, .md or .txt, is a file';
    throw new UsageError(`cannot read ${file}: ${whyUnreadable(code)}`, hint, 'unreadable_file');
  }
}
