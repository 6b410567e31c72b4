import type { ActivityView } from '../../api/contract.ts';
import { durationText } from '../output/time-text.ts';
import { visible } from '../output/visible.ts';

/** An activity with its age, in whole seconds: thinking for 12 s. */
export function activityText({ text, since }: ActivityView, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(since)) / 1_000));
  return `${visible(text)} for ${durationText(seconds * 1_000)}`;
}
