import { CLASSES, DIGIT, END, IN_VALUE, LETTER, type Word } from './characters.ts';

const NAMES = [
  ...['passw(?:or)?d', 'passphrase', 'passcode', 'secret', 'token', 'api[_-]?key', 'access[_-]?key', 'private[_-]?key'],
  ...['(?:signing|encryption|master|auth)[_-]?key', 'credentials?', 'authorization', 'cookie', '_auth', '[;&]\\s?pwd'],
].join('|');

/** Ends of names whose value is no secret: `tokenizer`, `password_hash_algorithm`, `secret_count`. */
const ABOUT = '(?!iz|[A-Za-z_-]{0,12}(?:algorithm|count|length|limit|policy|type|file|path|url)s?\\b)';
/** Quotes also as JSON escapes them, once or twice. */
const QUOTES = '(?:\\\\{0,3}["\'`\\]]){0,2}';

/** Quicker than `BEFORE_VALUE`: without a match here that has none. */
const ANY_NAME = /pass(?:w|phrase|code)|secret|token|key|credential|author|_auth|cookie|pwd/i;

/** The text right before the value of a secret: `password: "`, `API_KEY=`, `Authorization: Bearer `. */
const BEFORE_VALUE = new RegExp(
  `(?:${NAMES})${ABOUT}[A-Za-z_-]{0,16}${QUOTES}\\s{0,4}[:=]{1,2}>?\\s{0,4}${QUOTES}(?:(?:bearer|basic|token)\\s{1,2})?$`,
  'i',
);

const SHORT_PASSWORD = new RegExp(
  `passw(?:or)?d${QUOTES}\\s{0,4}[:=]\\s{0,4}${QUOTES}((?=[^\\s"'\`\\\\]{0,6}\\d)(?=[^\\s"'\`\\\\]{0,6}[a-z])[\\w!#$%&*+.^@-]{6,7})(?![\\w!#$%&*+.^@(-])`,
  'gi',
);

/** Values that `namedValue` cannot see: a space or a user's name before them, or short. */
export interface RareValue {
  /** Is in each text that has one. */
  readonly mark: string;
  /** Its first group is the value. */
  readonly pattern: RegExp;
}

const CURL = 'curl';

/** Quicker than the marks one by one: all but one need the name of a secret. */
export function mayHaveRareValue(text: string): boolean {
  return hasName(text) || text.includes(CURL);
}

export const RARE_VALUES: readonly RareValue[] = [
  // --api-key …
  {
    mark: ' --',
    pattern: new RegExp(
      `\\s--[a-z-]{0,24}(?:${NAMES})\\s{1,2}["'\`]?((?=[^\\s"'\`]{0,96}\\d)[^\\s"'\`<>\\\\-][^\\s"'\`<>\\\\]{7,})`,
      'gi',
    ),
  },
  { mark: CURL, pattern: /\s(?:-u|--user)[\s=]\s{0,2}["'`]?([^\s:"'`]{0,64}:[^\s"'`<>\\]{4,})/g },
  // .netrc
  { mark: ' password ', pattern: /\blogin\s{1,4}\S{1,64}\s{1,4}password\s{1,4}(\S{4,})/g },
  { mark: 'assw', pattern: SHORT_PASSWORD },
  { mark: 'ASSW', pattern: SHORT_PASSWORD },
];

const NAME_CHARACTERS_MAX = 96;
const VALUE_CHARACTERS_MIN = 8;
const PASSWORD_CHARACTERS_MIN = 6;

/** A value in a word that stands behind the name of a secret. */
export function namedValue(text: string, { from, to }: Word): Word | null {
  if (!hasName(text)) return null;
  const signs = signsIn(text, { from, to: Math.min(to, from + NAME_CHARACTERS_MAX) });
  const starts = isAfterName(text, from) ? [from, ...signs] : signs;
  for (const start of starts) {
    const end = valueEnd(text, start, to);
    if (end === null) continue;
    if (isNamed(text.slice(Math.max(0, start - NAME_CHARACTERS_MAX), start), end - start))
      return { from: start, to: end };
  }
  return null;
}

/** Whether a text is, from its beginning to its end, the value of a field with the name of a secret. */
export function isSecretOf(name: string, text: string): boolean {
  if (!ANY_NAME.test(name)) return false;
  const from = /^(?:bearer|basic|token)\s{1,2}/i.exec(text)?.[0].length ?? 0;
  return valueEnd(text, from, text.length) === text.length && isNamed(`${name}=`, text.length - from);
}

function isNamed(before: string, length: number): boolean {
  if (!BEFORE_VALUE.test(before)) return false;
  return length >= VALUE_CHARACTERS_MIN || /passw|pwd/i.test(before.slice(-32));
}

let lastNamed = { text: '', hasName: false };

/** Whether the name of a secret is anywhere in a text. Kept for the next word: most texts have none. */
function hasName(text: string): boolean {
  if (lastNamed.text !== text) lastNamed = { text, hasName: ANY_NAME.test(text) };
  return lastNamed.hasName;
}

/** Null where what is there is too short, or looks like a word: those stand behind such names, too. */
function valueEnd(text: string, from: number, to: number): number | null {
  let seen = 0;
  let end = from;
  for (; end < to; end++) {
    const code = text.charCodeAt(end);
    const kind = code < 128 ? (CLASSES[code] ?? 0) : 0;
    if ((kind & (LETTER | DIGIT | IN_VALUE)) === 0) break;
    seen |= kind;
  }
  if (end - from < PASSWORD_CHARACTERS_MIN || (seen & LETTER) === 0) return null;
  if ((seen & DIGIT) !== 0) return ENCODING.test(text.slice(from, end)) ? null : end;
  return end - from >= VALUE_CHARACTERS_MIN && end - from <= NAME_CHARACTERS_MAX && isMixed(text.slice(from, end))
    ? end
    : null;
}

/** Names of encodings and hashes have digits. */
const ENCODING =
  /^(?:base(?:32|58|64(?:url)?)|sha-?\d{1,3}|md5|utf-?\d{1,2}|v\d{1,2}(?:alpha|beta)\d?|hs256|rs256|es256)$/i;

/** Letters of both cases, in shorter parts than the words of a name in camel case have. */
function isMixed(value: string): boolean {
  if (!/^[A-Za-z]+$/.test(value)) return false;
  const parts = value.match(/[A-Z]?[a-z]+|[A-Z]/g)?.length ?? 1;
  return /[A-Z]/.test(value) && /[a-z]/.test(value) && value.length / parts < 3;
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
