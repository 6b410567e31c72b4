/** Dollars as people write them: cents, or more digits where it is less than a cent. */
export function usdText(usd: number): string {
  return usd > 0 && usd < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`;
}

/** A sum of what agents report: nothing reported is not the same as nothing spent. */
export function costText(usd: number): string {
  return usd > 0 ? usdText(usd) : 'no cost reported';
}
