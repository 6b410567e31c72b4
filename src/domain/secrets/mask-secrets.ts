import { withoutSequences } from '../words/control-sequences.ts';
import { type FoundSecret, findSecrets, type SecretSearch } from './find-secrets.ts';
import { isSecretOf } from './named-secrets.ts';

/** Replaces secrets by `[REDACTED:kind]`. Escape sequences hide none: a text that has some and a secret loses them. */
export function maskSecrets(text: string, search?: SecretSearch): string {
  const plain = withoutSequences(text);
  const found = findSecrets(plain, search);
  return found.length === 0 ? text : masked(plain, found, { from: 0, to: plain.length });
}

/** Masks the lines of a stream; a private key has several. */
export class LineMask {
  #isInKey = false;

  line(text: string): string {
    const begins = text.lastIndexOf('-----BEGIN ');
    const ends = text.lastIndexOf('-----END ');
    if (this.#isInKey) {
      this.#isInKey = ends < 0 || begins > ends;
      return '[REDACTED:private_key]';
    }
    this.#isInKey = begins > ends && /^-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY/.test(text.slice(begins));
    return maskSecrets(text);
  }
}

function masked(
  text: string,
  found: readonly FoundSecret[],
  { from, to }: { readonly from: number; readonly to: number },
): string {
  const parts: string[] = [];
  let at = from;
  for (const { start, end, kind } of found) {
    if (end <= at || start >= to) continue;
    if (start >= at) parts.push(text.slice(at, start), `[REDACTED:${kind}]`);
    at = Math.max(at, end);
  }
  if (at < to) parts.push(text.slice(at, to));
  return parts.join('');
}

/** Fields whose texts name something: they look random and are needed as they are. */
const NAMES_SOMETHING =
  /(?:^|_)(?:id|hash|ref|sha256|commit|digest|cursor)$|(?:Id|Hash|Ref|Commit|Ids)$|^(?:call|run|session|point|label)$/;

/** Masks every text of a JSON value; the names of its fields stay. */
export function maskValue<Value>(value: Value): Value {
  return maskTexts(value, (text, name) => maskSecrets(text, { byEntropy: !NAMES_SOMETHING.test(name) }));
}

type MaskText = (text: string, name: string) => string;

/** Masks every text of a JSON value, by the name of its field first; the same value where nothing is masked. */
export function maskTexts<Value>(value: Value, mask: MaskText): Value {
  const maskField: MaskText = (text, name) => (isSecretOf(name, text) ? '[REDACTED:secret]' : mask(text, name));
  return maskPart(value, '', maskField) as Value;
}

function maskPart(value: unknown, name: string, mask: MaskText): unknown {
  if (typeof value === 'string') return mask(value, name);
  if (Array.isArray(value)) return mapped(value, (part) => maskPart(part, name, mask));
  if (typeof value !== 'object' || value === null) return value;
  let copy: Record<string, unknown> | null = null;
  for (const [key, part] of Object.entries(value)) {
    const shown = maskPart(part, key, mask);
    if (shown === part) continue;
    copy ??= { ...value };
    copy[key] = shown;
  }
  return copy ?? value;
}

/** The same array where nothing is masked: most texts have no secret, and a copy costs more than the search. */
function mapped(values: readonly unknown[], map: (value: unknown) => unknown): readonly unknown[] {
  const shown = values.map(map);
  return shown.some((value, at) => value !== values[at]) ? shown : values;
}

/** The end of a text that is still being written. */
export interface OpenText {
  /** The last part of the text as it was written, kept as context. */
  readonly tail: string;
  /** The beginning of the tail up to here was shown. */
  readonly shown: number;
}

export const NOTHING_OPEN: OpenText = { tail: '', shown: 0 };

/** A word that is longer is masked whole: nobody can tell what it becomes. */
const HELD_CHARACTERS_MAX = 64 * 1_024;
const CONTEXT_CHARACTERS = 128;

/**
 * Masks a text that comes in chunks, so that no boundary between them splits a secret: the last word, and a private key
 * without its end, are held back until more of the text is there.
 */
export function maskChunk(
  { tail, shown }: OpenText,
  chunk: string,
  isFinal: boolean,
): { readonly text: string; readonly open: OpenText } {
  const text = tail + chunk;
  const found = findSecrets(text);
  const cut = isFinal ? text.length : Math.max(shown, safeCut(text, found));
  if (text.length - cut > HELD_CHARACTERS_MAX) {
    return { text: `${masked(text, found, { from: shown, to: cut })}[REDACTED:long_word]`, open: NOTHING_OPEN };
  }
  const from = Math.max(0, cut - CONTEXT_CHARACTERS);
  return { text: masked(text, found, { from: shown, to: cut }), open: { tail: text.slice(from), shown: cut - from } };
}

/** The offset up to which text is safe to pass on: before the last word, which may be incomplete, and before an open PEM block. */
function safeCut(text: string, found: readonly FoundSecret[]): number {
  let cut = text.length;
  while (cut > 0 && !/\s/.test(text.charAt(cut - 1))) cut--;
  const heading = text.lastIndexOf('-----BEGIN');
  if (heading >= 0 && /^-----BEGIN [A-Z0-9 ]*-{0,5}$/.test(text.slice(heading))) cut = Math.min(cut, heading);
  const key = found.findLast(({ kind }) => kind === 'private_key');
  const isOpen =
    key?.end === text.length && !/-----END [A-Z0-9 ]{0,32}PRIVATE KEY[A-Z ]{0,16}-----\s*$/.test(text.slice(-96));
  return key && (isOpen || cut < key.end) ? Math.min(cut, key.start) : cut;
}
