import { closeSync, constants, fstatSync, globSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Records hold the output of tools; a longer one is read from its end. */
const RECORD_BYTES_MAX = 32 * 1024 * 1024;

/** The lines with this word in the files of a vendor's sessions, as values. The agent can write there, so no link is followed. */
export function recordedValues(folder: string, pattern: string, word: string): readonly unknown[] {
  try {
    const texts = globSync(pattern, { cwd: folder }).map((file) => endOf(join(folder, file)));
    return texts.flatMap((text) => text.split('\n').filter((line) => line.includes(word))).flatMap(valuesOf);
  } catch {
    // No record, or none that can be read.
    return [];
  }
}

function endOf(file: string): string {
  const descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return '';
    const bytes = Buffer.alloc(Math.min(stats.size, RECORD_BYTES_MAX));
    const read = readSync(descriptor, bytes, 0, bytes.length, stats.size - bytes.length);
    return bytes.toString('utf8', 0, read);
  } finally {
    closeSync(descriptor);
  }
}

/** None for a line that was cut off. */
function valuesOf(line: string): readonly unknown[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
