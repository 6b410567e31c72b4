/** A time of today as 21:05, any other with its date, in the local time zone. */
export function timeText(instant: string, nowMs: number): string {
  const time = new Date(instant);
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  return isSameDay(time, new Date(nowMs)) ? clock : `${dayText(time)} ${clock}`;
}

export function secondText(instant: string): string {
  const time = new Date(instant);
  return `${dayText(time)} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

function isSameDay(one: Date, other: Date): boolean {
  return dayText(one) === dayText(other);
}

function dayText(time: Date): string {
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

/** A duration: 0.4 s, 12 s, 3 min 20 s, 2 h 5 min. */
export function durationText(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  if (whole < 120) return `${whole} s`;
  if (whole < 7_200) return withRest(Math.floor(whole / 60), 'min', whole % 60, 's');
  return withRest(Math.floor(whole / 3_600), 'h', Math.floor((whole % 3_600) / 60), 'min');
}

function withRest(...[large, largeUnit, small, smallUnit]: readonly [number, string, number, string]): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
