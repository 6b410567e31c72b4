import { readFileSync } from 'node:fs';

/** A vendor's settings as JSON; an empty object where the file is absent or unreadable, for the vendor then ignores it too. */
export function readVendorSettings(file: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseSettings(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Why a vendor's program will not start with one of these files, and what to do; null if it can read those that exist. */
export function brokenSettings(files: readonly string[], parse: (text: string) => unknown = parseSettings) {
  for (const file of files) {
    const text = textOf(file);
    try {
      if (text?.trim()) parse(text);
    } catch (error) {
      const [reason = ''] = (error as Error).message.trim().split('\n', 1);
      return `its settings in ${file} cannot be read: correct them (${reason})`;
    }
  }
  return null;
}

/** Null where there is none that Baton may read. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

// A string or a comment without an end ends with the text: it is no JSON anyway, and is searched once.
const COMMENT = /("(?:\\.|[^"\\])*(?:"|$))|\/\/[^\n]*|\/\*.*?(?:\*\/|$)/gs;
const LAST_COMMA = /("(?:\\.|[^"\\])*(?:"|$))|,(?=\s*[}\]])/gs;

/** Vendors read JSON with comments, some with a comma after the last entry. */
function parseSettings(text: string): unknown {
  return JSON.parse(
    text
      .replace(/^\ufeff/, '')
      .replace(COMMENT, '$1')
      .replace(LAST_COMMA, '$1'),
  );
}
