export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The median ratio of rounds that were played in turn: each is compared with its neighbour, so that a busy minute touches both. */
export function medianRatio(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((rate, at) => rate / (theirs[at] ?? Number.NaN)));
}
