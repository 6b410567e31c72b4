import { CLASSES, DIGIT, END, IN_RUN, LETTER, type Word } from './characters.ts';
import { codeOf, FORMATS_BY_BEGINNING, PRIVATE_KEY, URL_CREDENTIALS } from './known-formats.ts';
import { mayHaveRareValue, namedValue, RARE_VALUES, type RareValue } from './named-secrets.ts';

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
  const rare = rareSecrets(text);
  const words = secretWords(text, byEntropy);
  if (keys.length === 0 && urls.length === 0 && rare.length === 0) return words;
  return apart([...keys, ...urls, ...rare, ...words]);
}

function rareSecrets(text: string): readonly FoundSecret[] {
  let found = NONE;
  if (!mayHaveRareValue(text)) return found;
  for (let at = 0; at < RARE_VALUES.length; at++) {
    const { mark, pattern } = RARE_VALUES[at] as RareValue;
    if (text.includes(mark)) found = [...found, ...allMatches(text, pattern, 'secret')];
  }
  return found;
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

function inWord(text: string, word: Word, byEntropy: boolean): readonly FoundSecret[] {
  const known = knownFormats(text, word);
  if (known !== null) return known;
  const named = namedValue(text, word);
  if (named !== null) return [{ start: named.from, end: named.to, kind: 'secret' }];
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

const RUN_CHARACTERS_MIN = 20;
const ENTROPY_BITS_MIN = 4.5;

/** saop:masking: runs of 20 or more characters above 4.5 bits each that are no path, hash, UUID or ULID. */
function randomRuns(text: string, { from, to }: Word): readonly FoundSecret[] {
  let found: FoundSecret[] | null = null;
  for (let start = from; start < to; start++) {
    const end = runEnd(text, start, to);
    if (end - start >= RUN_CHARACTERS_MIN && !isUlid(text, start, end) && hasEntropy(text, start, end)) {
      if (
        !isPath(text.slice(start, end)) &&
        !isPublic(text.slice(Math.max(from, start - 32), start), text.slice(start, end))
      ) {
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

/** `sha512-…` of lockfiles, `SHA256:…` of ssh, `h1:…` of go.sum; hex and UUIDs have fewer than 4.5 bits. */
const HASH = /(?:^|[^A-Za-z0-9])(?:(?:sha|md)\d{1,3}[-:=]|h1:)/i;
/** RFC 2397: what a data URI has before its content. */
const DATA_URI = /data:(?:image|font|audio|video)\/[\w.+-]{1,24}(?:;[\w=-]{1,24})?;base64,$/;
/** RFC 4253: a public key of ssh begins with the length and the name of its algorithm. */
const SSH_PUBLIC_KEY = /^AAAA(?:[BC]3NzaC1|E2VjZHNhL|G[\w+/]{2}1zc2gt)/;

function isPublic(before: string, run: string): boolean {
  return HASH.test(before.slice(-8) + run.slice(0, 8)) || DATA_URI.test(before) || SSH_PUBLIC_KEY.test(run);
}

/** Baton's own ids, which its messages name. */
const ULID = /(?:[a-z]{2,8}_)?[0-7][0-9A-HJKMNP-TV-Z]{25}/y;

/** Asked before the entropy, which takes longer: most random-looking runs of events are ids. */
function isUlid(text: string, from: number, to: number): boolean {
  ULID.lastIndex = from;
  return ULID.test(text) && ULID.lastIndex === to;
}
