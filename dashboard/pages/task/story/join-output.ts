import type { StoryItem } from '../../../../src/api/trace/story-contract.ts';

/** Lines of output in one block. */
const OUTPUT_LINES_MAX = 2_000;

/** Output that follows output is shown with it, up to a bound. */
export function joinOutput(items: readonly StoryItem[]): readonly StoryItem[] {
  const joined: StoryItem[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    if (item.kind === 'output' && last?.kind === 'output' && last.lines.length < OUTPUT_LINES_MAX) {
      joined[joined.length - 1] = { ...last, lines: last.lines.concat(item.lines), changed: item.changed };
    } else joined.push(item);
  }
  return joined;
}
