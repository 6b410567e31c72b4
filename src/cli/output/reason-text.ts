import { visible } from './visible.ts';

/** Reasons that Baton itself gives, in words; what a person or an agent wrote is shown as it is. */
const OWN_REASONS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^stale_heartbeat_reclaim$/, 'its agent went silent before it reported anything'],
  [/^stale_heartbeat_(.+)$/, 'its agent reported $1 and then went silent'],
  [/^machine_restarted_reclaim$/, 'the machine went down under it'],
  [/^machine_restarted_(.+)$/, 'its agent reported $1 before the machine went down'],
  [/^session_end_reclaim$/, 'its agent ended without a report'],
  [/^session_end_(.+)$/, 'its agent reported $1'],
  [/^E_UNKNOWN: (.+)$/s, '$1'],
  [/^claim$/, 'taken by an agent'],
  [/^retry$/, 'another round was asked for'],
];

export function reasonText(reason: string | null): string | null {
  if (reason === null || reason === '') return null;
  const own = OWN_REASONS.find(([pattern]) => pattern.test(reason));
  return visible(own ? reason.replace(own[0], own[1]).replace(/^(its agent reported \w*?)_/, '$1 ') : reason);
}
