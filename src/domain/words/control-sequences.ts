const ESCAPE = 0x1b;
const BELL = 0x07;
const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;

/** ECMA-48: what introduces a control string: DCS, SOS, OSC, PM, APC. */
const STRINGS = new Set(Array.from('PX]^_', (character) => character.charCodeAt(0)));
const CONTROL_SEQUENCE = 0x5b;
const PARAMETERS = [0x30, 0x3f] as const;
const INTERMEDIATES = [0x20, 0x2f] as const;

/**
 * A text without the sequences that a terminal obeys: colours, cursor moves, links, titles, the clipboard. One that does not end on
 * its line stays, to be shown as text. Takes linear time, however many begin: a scan that finds no end stops where the next begins.
 */
export function withoutSequences(text: string): string {
  let begin = text.indexOf('\u001b');
  if (begin < 0) return text;
  const parts: string[] = [];
  let kept = 0;
  while (begin >= 0) {
    const end = sequenceEnd(text, begin + 1);
    if (end > 0) {
      if (begin > kept) parts.push(text.slice(kept, begin));
      kept = end;
    }
    begin = text.indexOf('\u001b', Math.max(end, begin + 1));
  }
  parts.push(text.slice(kept));
  return parts.join('');
}

/** The place behind the sequence that begins before `at`; 0 where it has no end. */
function sequenceEnd(text: string, at: number): number {
  const introducer = text.charCodeAt(at);
  if (introducer === CONTROL_SEQUENCE)
    return withFinal(text, skip(text, skip(text, at + 1, PARAMETERS), INTERMEDIATES), 0x40);
  if (STRINGS.has(introducer)) return stringEnd(text, at + 1);
  return withFinal(text, skip(text, at, INTERMEDIATES), 0x30);
}

function skip(text: string, from: number, [lowest, highest]: readonly [number, number]): number {
  let at = from;
  while (text.charCodeAt(at) >= lowest && text.charCodeAt(at) <= highest) at++;
  return at;
}

function withFinal(text: string, at: number, lowest: number): number {
  const final = text.charCodeAt(at);
  return final >= lowest && final <= 0x7e ? at + 1 : 0;
}

/** Behind BEL or ST (ESC `\`). */
function stringEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BELL) return at + 1;
    if (code === ESCAPE) return text.charCodeAt(at + 1) === BACKSLASH ? at + 2 : 0;
    if (code === LINE_FEED) return 0;
  }
  return 0;
}
