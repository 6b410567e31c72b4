import { useComputed } from '@preact/signals';
import { now } from './clock.ts';
import { agoText, durationText, exactText, timeText } from './format.ts';

/** How long ago something was; the exact time on hover. */
export function Ago({ at, how = 'ago' }: { readonly at: string; readonly how?: 'ago' | 'age' }) {
  const ms = Date.parse(at);
  const text = useComputed(() => (how === 'ago' ? agoText(now.value - ms) : durationText(now.value - ms)));
  return (
    <time dateTime={at} title={exactText(ms)}>
      {text}
    </time>
  );
}

/** The time left until an instant. */
export function Until({ at }: { readonly at: string }) {
  const ms = Date.parse(at);
  const text = useComputed(() => (ms <= now.value ? 'now' : `in ${durationText(ms - now.value)}`));
  return (
    <time dateTime={at} title={exactText(ms)}>
      {text}
    </time>
  );
}

/** The time of day, with the day where it is not today. */
export function At({ at }: { readonly at: string }) {
  const ms = Date.parse(at);
  const text = useComputed(() => timeText(ms, now.value));
  return (
    <time dateTime={at} title={exactText(ms)}>
      {text}
    </time>
  );
}

/** The time of day to the second, for things that follow each other quickly. */
export function Clock({ at }: { readonly at: string }) {
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={exactText(ms)}>
      {exactText(ms).slice(11)}
    </time>
  );
}
