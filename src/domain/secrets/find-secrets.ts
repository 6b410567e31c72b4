import {
  codeOf,
  FORMATS_BY_BEGINNING,
  NAME_OF_SECRET,
  PRIVATE_KEY,
  SECRET_NAME,
  URL_CREDENTIALS,
} from './known-formats.ts';

/** A part of a text that no reader should see. */
export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  /** `aws_key`, `high_entropy` … */
  readonly kind: string;
}

export interface SecretSearch {
  /** Also random-looking text. Ids look like that, too, so it is not sought in them. */
  readonly byEntropy: boolean;
}

const NONE: readonly FoundSecret[] = [];

/** Secrets of a text, in order and apart from each other. Takes linear time. */
export function findSecrets(text: string, { byEntropy }: SecretSearch = { byEntropy: true }): readonly FoundSecret[] {
  const keys = text.includes('-----BEGIN ') ? allMatches(text, PRIVATE_KEY, 'private_key') : NONE;
  const urls = text.includes('://') ? allMatches(text, URL_CREDENTIALS, 'url_credentials') : NONE;
  const words = secretWords(text, byEntropy);
  if (keys.length === 0 && urls.length === 0) return words;
  return apart([...keys, ...urls, ...words]);
}

/** The first group of each match, or the whole of it. */
function allMatches(text: string, pattern: RegExp, kind: string): readonly FoundSecret[] {
  return [...text.matchAll(pattern)].map(({ index, 0: all, 1: part = all }) => {
    const start = index + all.indexOf(part);
    return { start, end: start + part.length, kind };
  });
}

/** Keeps the first of findings that overlap. */
function apart(found: readonly FoundSecret[]): readonly FoundSecret[] {
  let end = 0;
  return found
    .toSorted((one, other) => one.start - other.start || other.end - one.end)
    .filter((secret) => {
      if (secret.start < end) return false;
      end = secret.end;
      return true;
    });
}

/** No secret of a known format is shorter. */
const WORD_CHARACTERS_MIN = 8;

/** White space, quotes, angle brackets and backslashes end a word. */
const END = 1;
const LETTER = 2;
const DIGIT = 4;
/** Other characters of base64, base64url and paths. */
const IN_RUN = 8;
/** Other characters of a value behind the name of a secret. */
const IN_VALUE = 16;
const CLASSES = new Uint8Array(128);
for (let code = 0; code <= 32; code++) CLASSES[code] = END;
for (const character of '"\'`<>\\\u007f') CLASSES[character.charCodeAt(0)] = END;
for (const character of '.~!@#$%^&*:') CLASSES[character.charCodeAt(0)] = IN_VALUE;
for (const character of '+/_=-') CLASSES[character.charCodeAt(0)] = IN_RUN | IN_VALUE;
for (let code = 48; code <= 57; code++) CLASSES[code] = DIGIT;
for (let code = 65; code <= 90; code++) CLASSES[code] = CLASSES[code + 32] = LETTER;
const BACKSLASH = 92;

function secretWords(text: string, byEntropy: boolean): readonly FoundSecret[] {
  let found: FoundSecret[] | null = null;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? 0 : text.charCodeAt(at);
    if (code >= 128 || CLASSES[code] !== END) continue;
    if (at - start >= WORD_CHARACTERS_MIN) {
      const secrets = inWord(text, { from: start, to: at }, byEntropy);
      if (secrets.length > 0) found = found === null ? [...secrets] : [...found, ...secrets];
    }
    if (code === BACKSLASH) at += escapedLength(text.charCodeAt(at + 1));
    start = at + 1;
  }
  return found ?? NONE;
}

/** The length of the rest of an escape in JSON: a letter, or `u` and four digits. */
function escapedLength(code: number): number {
  if (code === 117) return 5;
  return 'bfnrt"\\/'.includes(String.fromCharCode(code)) ? 1 : 0;
}

interface Word {
  readonly from: number;
  readonly to: number;
}

function inWord(text: string, word: Word, byEntropy: boolean): readonly FoundSecret[] {
  const known = knownFormats(text, word);
  if (known !== null) return known;
  const named = namedSecret(text, word);
  if (named !== null) return [named];
  return byEntropy && word.to - word.from >= RUN_CHARACTERS_MIN ? randomRuns(text, word) : NONE;
}

/** Null where there is none: a secret begins where no letter or digit is before it. */
function knownFormats(text: string, { from, to }: Word): readonly FoundSecret[] | null {
  let found: FoundSecret[] | null = null;
  let isInside = false;
  for (let at = from; at < to - 1; at++) {
    const code = text.charCodeAt(at);
    const next = text.charCodeAt(at + 1);
    const wasInside = isInside;
    isInside = code < 128 && ((CLASSES[code] ?? 0) & (LETTER | DIGIT)) !== 0;
    if (wasInside || code >= 128 || next >= 128) continue;
    const formats = FORMATS_BY_BEGINNING[codeOf(code, next)];
    if (!formats) continue;
    const isAfterSign = at > from && '_-'.includes(text.charAt(at - 1));
    for (const { kind, pattern, isDelimited } of formats) {
      if (isDelimited && isAfterSign) continue;
      pattern.lastIndex = at;
      if (!pattern.test(text)) continue;
      const end = runEnd(text, pattern.lastIndex, to);
      found ??= [];
      found.push({ start: at, end, kind });
      at = end - 1;
      break;
    }
  }
  return found;
}

/** Patterns are bounded; a secret extends as far as its characters do. */
function runEnd(text: string, from: number, to: number): number {
  let end = from;
  while (end < to && isInRun(text.charCodeAt(end))) end++;
  return end;
}

function isInRun(code: number): boolean {
  return code < 128 && ((CLASSES[code] ?? 0) & (LETTER | DIGIT | IN_RUN)) !== 0;
}

const NAME_CHARACTERS_MAX = 64;
const NAMED_CHARACTERS_MIN = 8;

/** A value behind the name of a secret. Plain words stand there, too, so only one with letters and digits counts. */
function namedSecret(text: string, { from, to }: Word): FoundSecret | null {
  const signs = signsIn(text, { from, to: Math.min(to, from + NAME_CHARACTERS_MAX) });
  const starts = isAfterName(text, from) ? [from, ...signs] : signs;
  for (const start of starts) {
    const end = valueEnd(text, start, to);
    if (end === null) continue;
    if (!hasName(text)) return null;
    const before = text.slice(Math.max(0, start - NAME_CHARACTERS_MAX), start);
    if (SECRET_NAME.test(before)) return { start, end, kind: 'secret' };
  }
  return null;
}

let lastNamed = { text: '', hasName: false };

/** Whether the name of a secret is anywhere in a text. Kept for the next word: most texts have values and no such name. */
function hasName(text: string): boolean {
  if (lastNamed.text !== text) lastNamed = { text, hasName: NAME_OF_SECRET.test(text) };
  return lastNamed.hasName;
}

/** Null where the value is too short, or has no letter or no digit. */
function valueEnd(text: string, from: number, to: number): number | null {
  let seen = 0;
  let end = from;
  for (; end < to; end++) {
    const code = text.charCodeAt(end);
    const kind = code < 128 ? (CLASSES[code] ?? 0) : 0;
    if ((kind & (LETTER | DIGIT | IN_VALUE)) === 0) break;
    seen |= kind;
  }
  return end - from >= NAMED_CHARACTERS_MIN && (seen & LETTER) !== 0 && (seen & DIGIT) !== 0 ? end : null;
}

/** The places after the signs of assignments in a word. */
function signsIn(text: string, { from, to }: Word): readonly number[] {
  let places: number[] | null = null;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code !== EQUALS && code !== COLON) continue;
    // A name ends before it; the time of day does not.
    if (CLASSES[text.charCodeAt(at - 1)] === DIGIT) continue;
    places ??= [];
    places.push(at + 1);
  }
  return places ?? NO_PLACES;
}

const EQUALS = 61;
const COLON = 58;
const NO_PLACES: readonly number[] = [];

/** Whether an assignment or a scheme of HTTP may be before the word: most words need no closer look. */
function isAfterName(text: string, from: number): boolean {
  let at = from - 1;
  while (at >= 0 && from - at < 6 && CLASSES[text.charCodeAt(at)] === END) at--;
  return ':=>rcn'.includes(text.charAt(at).toLowerCase() || ' ');
}

const RUN_CHARACTERS_MIN = 20;
const ENTROPY_BITS_MIN = 4.5;

/** saop:masking: runs of 20 or more characters above 4.5 bits each that are no path, hash, UUID or ULID. */
function randomRuns(text: string, { from, to }: Word): readonly FoundSecret[] {
  let found: FoundSecret[] | null = null;
  for (let start = from; start < to; start++) {
    const end = runEnd(text, start, to);
    if (end - start >= RUN_CHARACTERS_MIN && !isUlid(text, start, end) && hasEntropy(text, start, end)) {
      if (!isPath(text.slice(start, end)) && !isHash(text.slice(Math.max(from, start - 8), end))) {
        found ??= [];
        found.push({ start, end, kind: 'high_entropy' });
      }
    }
    start = end;
  }
  return found ?? NONE;
}

const COUNTS = new Uint32Array(128);
/** Fewer different characters cannot have so many bits each. */
const DIFFERENT_MIN = Math.ceil(2 ** ENTROPY_BITS_MIN);

/** Whether a run has more than 4.5 bits a character, by Shannon's formula. */
function hasEntropy(text: string, from: number, to: number): boolean {
  let different = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    const count = COUNTS[code] ?? 0;
    if (count === 0) different++;
    COUNTS[code] = count + 1;
  }
  let bits = 0;
  const length = to - from;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    const share = (COUNTS[code] ?? 0) / length;
    COUNTS[code] = 0;
    if (share > 0 && different >= DIFFERENT_MIN) bits -= share * Math.log2(share);
  }
  return bits > ENTROPY_BITS_MIN;
}

/** The share of a path that consists of words; in random text few parts between slashes look like one. */
const WORDS_OF_PATH_MIN = 0.6;
/** A word in camel case changes between words and numbers at fewer of its characters. */
const CHANGES_OF_WORD_MAX = 0.15;

function isPath(run: string): boolean {
  if (!run.includes('/')) return false;
  // Base64 has slashes and no hyphens, base64url the other way round.
  const parts = run.split(/[/_-]/);
  const words = parts.filter((part) => changesOf(part) / Math.max(1, part.length) < CHANGES_OF_WORD_MAX);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return words.reduce((sum, word) => sum + word.length, 0) / length >= WORDS_OF_PATH_MIN;
}

function changesOf(part: string): number {
  return part.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])|[A-Z](?=[A-Z][a-z])/g)?.length ?? 0;
}

/** `sha512-…` of lockfiles and `SHA256:…` of ssh; hex and UUIDs have fewer than 4.5 bits. */
function isHash(run: string): boolean {
  return /(?:^|[^A-Za-z0-9])(?:sha|md)\d{1,3}[-:=]/i.test(run.slice(0, 16));
}

/** Baton's own ids, which its messages name. */
const ULID = /(?:[a-z]{2,8}_)?[0-7][0-9A-HJKMNP-TV-Z]{25}/y;

/** Asked before the entropy, which takes longer: most random-looking runs of events are ids. */
function isUlid(text: string, from: number, to: number): boolean {
  ULID.lastIndex = from;
  return ULID.test(text) && ULID.lastIndex === to;
}
