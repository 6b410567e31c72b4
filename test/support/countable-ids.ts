import type { Ids } from '../../src/platform/ids.ts';

/** The twin of the random ids: one, two, three, in the form of the real ones. */
export function countableIds(): Ids {
  let given = 0;
  const next = (digits: number) => String(++given).padStart(digits, '0');
  return { uuid: () => `00000000-0000-7000-8000-${next(12)}`, ulid: () => next(26) };
}
