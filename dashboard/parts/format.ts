const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** 14 s, 12 min, 3 h 20 min, 2 days. */
export function durationText(ms: number): string {
  const whole = Math.max(0, ms);
  if (whole < 10 * SECOND && whole % SECOND !== 0 && whole < SECOND) return `${(whole / SECOND).toFixed(1)} s`;
  if (whole < MINUTE) return `${Math.round(whole / SECOND)} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`;
  if (whole < DAY) {
    const minutes = Math.floor((whole % HOUR) / MINUTE);
    return minutes === 0 ? `${Math.floor(whole / HOUR)} h` : `${Math.floor(whole / HOUR)} h ${minutes} min`;
  }
  const days = Math.floor(whole / DAY);
  return days === 1 ? '1 day' : `${days} days`;
}

/** just now, 14 s ago, 12 min ago. */
export function agoText(ms: number): string {
  return ms < 2 * SECOND ? 'just now' : `${durationText(ms)} ago`;
}

/** $0.41, $12.30; a part of a cent is not nothing. */
export function moneyText(usd: number): string {
  if (usd > 0 && usd < 0.005) return '<$0.01';
  return `$${usd.toFixed(2)}`;
}

/** 812, 14.2k, 3.1M tokens. */
export function countText(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${(count / 1_000).toFixed(count < 100_000 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** 1 file, 3 files. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
}

/** 14:02, or with the day if it is another one. */
export function timeText(at: number, now: number): string {
  const date = new Date(at);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (date.toDateString() === new Date(now).toDateString()) return time;
  const day = date.toLocaleDateString('en', { month: 'short', day: 'numeric' });
  return Math.abs(now - at) < 300 * DAY ? `${day}, ${time}` : `${day} ${date.getFullYear()}, ${time}`;
}

/** The whole instant, for who wants to know exactly. */
export function exactText(at: number): string {
  const date = new Date(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** 57 of TASK-2026-02-09-057; the whole name of anything else. */
export function numberOf(task: string): string {
  const digits = /-(\d{3,})$/.exec(task)?.[1];
  return digits === undefined ? task : String(Number(digits));
}

/** Cut in the middle, where a long name says least. */
export function shortened(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const head = Math.ceil((charactersMax - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (charactersMax - 1 - head))}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
