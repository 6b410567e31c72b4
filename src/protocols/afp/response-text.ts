/** The parts of a text that may be a Response Object, in order: the text itself, and the content of its Markdown fences. */
export function jsonCandidates(text: string): string[] {
  const whole = text.trim();
  return whole.startsWith('{') ? [whole] : fencedBlocks(text);
}

const FENCE = /^[ \t]*(`{3,}|~{3,})/;

/** A fence ends at a line with the same mark, at least as long and nothing else; an unclosed one ends with the text. */
function fencedBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let mark: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const fence = FENCE.exec(line);
    const rest = line.slice(fence?.[0].length);
    if (mark === null) {
      mark = rest.includes('`') ? null : (fence?.[1] ?? null);
    } else if (fence?.[1]?.startsWith(mark) && rest.trim() === '') {
      blocks.push(block.join('\n'));
      block = [];
      mark = null;
    } else block.push(line);
  }
  if (mark !== null) blocks.push(block.join('\n'));
  return blocks;
}
