import { pick, type Random } from '../seed.ts';

const INSERTED = [
  '\u0000',
  '\ufeff',
  '\ud800',
  '\udc00',
  '\\u0000',
  '\\ud800',
  '\\udfff',
  '\\x',
  '\\',
  '"',
  "'",
  ',',
  ':',
  '{',
  '}',
  '[',
  ']',
  '-',
  '0',
  '1e999',
  '//',
  '/**/',
  '\n',
  '\t',
  '\u2028',
  '\u00a0',
  'null',
  'NaN',
  '😀',
  '__proto__',
] as const;

/** Ways to damage a text of which nothing is known; what comes of it may be anything. */
const DAMAGES: Readonly<Record<string, (text: string, random: Random, other: string) => string>> = {
  'a character is flipped': (text, random) =>
    edit(text, random, (c) => String.fromCharCode(c.charCodeAt(0) ^ (1 << random(8)))),
  'a character is deleted': (text, random) => edit(text, random, () => ''),
  'a character is doubled': (text, random) => edit(text, random, (c) => c + c),
  'something is inserted': (text, random) => edit(text, random, (c) => c + pick(INSERTED, random)),
  'something comes first': (text, random) => pick(INSERTED, random) + text,
  'a piece is cut out': (text, random) => {
    const from = random(text.length);
    return text.slice(0, from) + text.slice(from + random(40));
  },
  'two messages are spliced': (text, random, other) =>
    text.slice(0, random(text.length)) + other.slice(random(other.length)),
  'a piece stands twice': (text, random) => {
    const from = random(text.length);
    return text.slice(0, from + random(60)) + text.slice(from);
  },
};

export function damage(text: string, random: Random, other: string): { text: string; what: string } {
  const [what, way] = pick(Object.entries(DAMAGES), random);
  return { text: way(text, random, other), what };
}

/** Damages that no JSON text survives: it must not be accepted. */
const BREAKS: Readonly<Record<string, (text: string, random: Random, other: string) => string>> = {
  'it is cut short': (text, random) => text.trimEnd().slice(0, random(text.trimEnd().length)),
  'another message follows': (text, _, other) => `${text}${other}`,
  'another message follows on the next line': (text, _, other) => `${text.trimEnd()}\n${other}`,
  'a quote is a single quote': (text, random) => editQuote(text, random, "'"),
  'a quote is missing': (text, random) => editQuote(text, random, ''),
  'a NUL ends it': (text) => `${text}\u0000`,
  'a comma comes last': (text) => `${text.trimEnd()},`,
  'a comment comes last': (text) => `${text} // done`,
};

export function breakJson(text: string, random: Random, other: string): { text: string; what: string } {
  const [what, way] = pick(Object.entries(BREAKS), random);
  return { text: way(text, random, other), what };
}

function edit(text: string, random: Random, change: (character: string) => string): string {
  const at = random(Math.max(1, text.length));
  return text.slice(0, at) + change(text.charAt(at)) + text.slice(at + 1);
}

function editQuote(text: string, random: Random, by: string): string {
  // An escaped quote is left alone: without it the escape may be read with the next character.
  const quotes = [...text.matchAll(/(?<!\\)(?:\\\\)*"/g)].map((found) => found.index + found[0].length - 1);
  const at = pick(quotes, random);
  return text.slice(0, at) + by + text.slice(at + 1);
}
