import { readFileSync } from 'node:fs';

/** A vendor's settings as JSON; an empty object where the file is absent or unreadable, for the vendor then ignores it too. */
export function readSettings(file: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
