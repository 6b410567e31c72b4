/** The known word that is nearest to the typed one; null if none is near. Case does not count. */
export function nearWord(typed: string, words: readonly string[]): string | null {
  let best: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const word of words) {
    const count = mistakes(word.toLowerCase(), typed.toLowerCase());
    if (count > mistakesMax(word) || count >= fewest) continue;
    best = word;
    fewest = count;
  }
  return best;
}

/** In a short word, two changed letters make another word. */
function mistakesMax(word: string): number {
  return word.length > 5 ? 2 : 1;
}

/** The number of letters that were left out, added, changed or swapped with the next. */
function mistakes(word: string, typed: string): number {
  if (Math.abs(word.length - typed.length) > 2) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: typed.length + 1 }, (_, at) => at)];
  for (let at = 1; at <= word.length; at++) {
    const row = [at];
    for (let to = 1; to <= typed.length; to++) {
      const changed = cell(rows, at - 1, to - 1) + (word[at - 1] === typed[to - 1] ? 0 : 1);
      const isSwapped = at > 1 && word[at - 1] === typed[to - 2] && word[at - 2] === typed[to - 1];
      const swapped = isSwapped ? cell(rows, at - 2, to - 2) + 1 : changed;
      row.push(Math.min(changed, swapped, cell(rows, at - 1, to) + 1, (row[to - 1] ?? 0) + 1));
    }
    rows.push(row);
  }
  return cell(rows, word.length, typed.length);
}

function cell(rows: readonly (readonly number[])[], at: number, to: number): number {
  return rows[at]?.[to] ?? 0;
}
