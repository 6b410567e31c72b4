import type { Reset } from '../../../domain/agent/quota.ts';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const PART = /(?<![\d.])(\d{1,9}(?:\.\d{1,9})?)\s{0,3}(ms|d|h|m|s)(?:ays?|ours?|inutes?|econds?)?(?![a-z])/gi;

/** `8h44m7s`, `34.07s`, `2 days 17 hours 14 minutes`; null for other text. */
function durationIn(text: string): Reset | null {
  const parts = [...text.matchAll(PART)];
  if (parts.length === 0) return null;
  const ms = parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (UNIT_MS[unit.toLowerCase()] ?? 0), 0);
  return { kind: 'in', ms };
}

const AFTER = /\b(?:try again|retry|reset|resets|retrying) (?:in|after) ([\d.]+ ?(?:ms|[dhms]).{0,60})/i;
/** `Nov 17th, 2026 12:17 AM`, or the time alone for the same day; in the time of the machine. */
const AT =
  /\b(?:try again|resets?) at (?:([A-Z][a-z]{2} \d{1,2})(?:st|nd|rd|th)?, (\d{4}) )?(\d{1,2}):(\d{2}) ([AP]M)\b/i;

/** The reset that a vendor's own error names in words; null where it names none. */
export function resetIn(message: string): Reset | null {
  const [, date, year, hour, minute, half] = AT.exec(message) ?? [];
  if (hour !== undefined && minute !== undefined && half !== undefined) {
    if (date !== undefined) return { kind: 'at', wallMs: Date.parse(`${date}, ${year} ${hour}:${minute} ${half}`) };
    const noon = half.toUpperCase() === 'PM' ? 12 : 0;
    return { kind: 'at-time', hour: (Number(hour) % 12) + noon, minute: Number(minute) };
  }
  const after = AFTER.exec(message)?.[1];
  return after === undefined ? null : durationIn(after.split(/[.,;] |\.\.|\.$/, 1)[0] ?? after);
}
