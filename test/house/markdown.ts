/** The lines of a page; those inside of code fences are empty, so that line numbers stay. */
export function proseLines(text: string): string[] {
  let fence = '';
  return text.split('\n').map((line) => {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1] ?? '';
    if (fence === '' && mark !== '') fence = mark;
    else if (fence !== '' && mark.startsWith(fence)) fence = '';
    else if (fence === '') return line;
    return '';
  });
}

/** The anchors a page offers: its headings as GitHub writes them, and explicit ids. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const line of proseLines(text)) {
    for (const [, id] of line.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id ?? '');
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let unique = slug;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${slug}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

/** The cells of a table row, or undefined where the line is none. An escaped bar stays in its cell. */
export function cellsOf(line: string): string[] | undefined {
  if (!/^\s*\|.*\|\s*$/.test(line)) return undefined;
  return line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

export interface TableRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** The rows of every table whose first heading is the one named. */
export function rowsUnder(text: string, firstHeading: string): TableRow[] {
  const rows: TableRow[] = [];
  let place: 'outside' | 'inside' | 'other' = 'outside';
  proseLines(text).forEach((content, at) => {
    const cells = cellsOf(content);
    if (!cells) place = 'outside';
    else if (place === 'outside') place = cells[0]?.toLowerCase() === firstHeading.toLowerCase() ? 'inside' : 'other';
    else if (place === 'inside' && !cells.every((cell) => /^:?-+:?$/.test(cell))) rows.push({ line: at + 1, cells });
  });
  return rows;
}
