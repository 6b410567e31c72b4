/** A length of time as people say it: 0.4 s, 12 s, 3 min 20 s, 2 h 5 min. */
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
