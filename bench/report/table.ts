import { describeJudgement, type Judgement } from './judgement.ts';

/** Columns as wide as their widest cell, two spaces apart. */
export function table(header: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const widths = header.map((name, at) => Math.max(name.length, ...rows.map((row) => (row[at] ?? '').length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line), ''].join('\n');
}

export function boundTable(judgements: readonly Judgement[]): string {
  return table(['', 'measured', 'promised', '', ''], judgements.map(describeJudgement));
}
