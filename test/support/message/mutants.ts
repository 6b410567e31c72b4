import fc from 'fast-check';
import { isJsonObject, type JsonObject } from '../../../src/domain/words/json-object.ts';
import type { Codec, DecodeHints } from '../../../src/protocols/codec.ts';
import { readJson } from '../../../src/protocols/json-text.ts';
import { type CorpusRow, corpusRows, corpusText } from '../../corpus/rows.ts';
import { pick, type Random } from '../seed.ts';
import { breakJson, damage } from './mutate-text.ts';
import { addField, type Must, spoil } from './mutate-value.ts';
import { ABSENT, type Place, placesOf, withValueAt } from './places.ts';
import { hintsFor, validMessages } from './valid-messages.ts';

/** A message to be changed. */
export interface Origin {
  readonly text: string;
  readonly kind: string;
  readonly hints: DecodeHints;
  /** Null where the text is no JSON, or its kind has no schema: then only the text can be changed. */
  readonly json: { readonly value: JsonObject; readonly places: readonly Place[] } | null;
  /** The text around the JSON. */
  readonly before: string;
  readonly after: string;
}

export interface Mutant {
  readonly text: string;
  readonly hints: DecodeHints;
  readonly must: Must;
  readonly what: string;
}

const GENERATED_A_KIND = 40;

/** Messages that the codec accepts: those of the corpus, and generated ones of every kind. */
export function originsOf(codec: Codec<unknown>, seed: number): Origin[] {
  const rows = corpusRows().filter((row) => row.protocol === codec.protocol && row.verdict === 'accepted');
  const stored = rows.map((row) => originFrom(codec, corpusText(row), storedHints(row)));
  const made = codec.kinds.flatMap((kind) => {
    const messages = validMessages(codec, kind);
    const sample = messages ? fc.sample(messages, { seed, numRuns: GENERATED_A_KIND }) : [];
    return sample.map((message) => originFrom(codec, codec.encode(message), hintsFor(codec, kind, message)));
  });
  return [...stored, ...made].filter((origin) => origin !== null);
}

function storedHints(row: CorpusRow): DecodeHints {
  return { fileName: row.file, ...(row.asKind !== undefined && { kind: row.asKind }) };
}

function originFrom(codec: Codec<unknown>, text: string, hints: DecodeHints): Origin | null {
  const verdict = codec.decode(text, hints);
  if (verdict.verdict !== 'accepted') return null;
  const [before, middle, after] = partsOf(text, verdict.message);
  const schema = codec.schemaOf(verdict.kind);
  const reading = readJson(middle);
  const value = reading.kind === 'value' ? reading.value : null;
  const json = schema && isJsonObject(value) ? { value, places: placesOf(schema, value) } : null;
  return { text, kind: verdict.kind, hints, json, before, after };
}

/** The JSON of a text and what stands around it. A task file's front matter is rewritten as JSON, which is YAML too. */
function partsOf(text: string, message: unknown): [string, string, string] {
  if (isJsonObject(message) && isJsonObject(message.frontMatter)) {
    return ['---\n', JSON.stringify(message.frontMatter), `\n---\n${message.body}`];
  }
  return text.startsWith('AOF/1 ') ? ['AOF/1 ', text.slice(6), ''] : ['', text, ''];
}

/** The mutant of one index: the same for the same origins and random numbers. */
export function mutantOf(codec: Codec<unknown>, origins: readonly Origin[], random: Random): Mutant {
  const origin = pick(origins, random);
  const other = pick(origins, random).text;
  if (origin.json && random(10) < 6) {
    for (let tries = 0; tries < 8; tries++) {
      const mutant =
        random(5) === 0 ? grafted(origin, pick(origins, random), random) : changedValue(codec, origin, random);
      if (mutant) return mutant;
    }
  }
  if (origin.json && origin.before !== '---\n' && random(4) === 0) {
    const { text, what } = breakJson(origin.text, random, other);
    return { text, what, hints: origin.hints, must: 'not-accepted' };
  }
  const first = damage(origin.text, random, other);
  const second = random(3) === 0 ? damage(first.text, random, other) : first;
  return { text: second.text, what: `${first.what}, ${second.what}`, hints: origin.hints, must: 'anything' };
}

function changedValue(codec: Codec<unknown>, origin: Origin, random: Random): Mutant | null {
  const { value, places } = origin.json as NonNullable<Origin['json']>;
  const place = pick(places, random);
  const roll = random(10);
  if (roll < 6) {
    const change = spoil(value, place, random);
    return change && rendered(origin, JSON.stringify(change.value), { must: 'not-accepted', what: change.what });
  }
  return roll < 8 ? changedText(origin, place, random) : unknownField(codec, origin, random);
}

/** A place left out, or filled with what another message has where the same is asked for: often still a message. */
function grafted(origin: Origin, other: Origin, random: Random): Mutant | null {
  const { value, places } = origin.json as NonNullable<Origin['json']>;
  const place = pick(places, random);
  const twins = other.json?.places.filter((each) => each.schema === place.schema) ?? [];
  if (place.path.length === 0 || (place.isRequired && twins.length === 0)) return null;
  const graft = place.isRequired || (twins.length > 0 && random(2) === 0) ? pick(twins, random).value : ABSENT;
  const what = `${graft === ABSENT ? 'left out' : 'a graft'} at /${place.path.join('/')}`;
  return rendered(origin, JSON.stringify(withValueAt(value, place.path, graft)), { must: 'anything', what });
}

function rendered(origin: Origin, json: string, of: Pick<Mutant, 'must' | 'what'>): Mutant {
  return { ...of, text: `${origin.before}${json}${origin.after}`, hints: origin.hints };
}

const MARK = '@@mark@@';
const DEEP = [65, 200, 20_000];

/** Changes that only a text can have: no value holds a repeated key. */
function changedText(origin: Origin, place: Place, random: Random): Mutant | null {
  if (!isJsonObject(place.value)) return null;
  const keys = Object.keys(place.value);
  const key = JSON.stringify(keys.length === 0 ? 'a' : pick(keys, random));
  const escaped = `"\\u${key.charCodeAt(1).toString(16).padStart(4, '0')}${key.slice(2)}`;
  const depth = pick(DEEP, random);
  const ways: [string, string][] = [
    ['a repeated key', `${key}:${pick(['null', '1', JSON.stringify('x')], random)}`],
    ['a repeated key with an escape', `${key.length > 2 && key[1] !== '\\' ? escaped : key}:1`],
    ['a __proto__ key', `"__proto__":${pick(['null', '{"polluted":1}', '[]', '{"toString":1}'], random)}`],
    ['an escaped __proto__ key', '"\\u005f_proto__":{"polluted":1}'],
    ['a number beyond all numbers', `"zz":${pick(['1e400', '-1e999', '[1,[2e308]]'], random)}`],
    ['nesting beyond the limit', `"zz":${'['.repeat(depth)}${']'.repeat(depth)}`],
  ];
  const [what, written] = pick(ways, random);
  if (what.startsWith('a repeated') && keys.length === 0) return null;
  const marked = random(2) === 0 ? { ...place.value, [MARK]: 0 } : { [MARK]: 0, ...place.value };
  const value = withValueAt((origin.json as NonNullable<Origin['json']>).value, place.path, marked);
  const json = JSON.stringify(value).replace(`"${MARK}":0`, () => written);
  return rendered(origin, json, { must: 'not-accepted', what: `${what} at /${place.path.join('/')}` });
}

function unknownField(codec: Codec<unknown>, origin: Origin, random: Random): Mutant | null {
  const { value, places } = origin.json as NonNullable<Origin['json']>;
  const key = pick(['zz_unknown', 'x-zz', 'Zz', 'zz/~0'], random);
  const change = addField(value, pick(places, random), { [key]: pick([1, 'x', null, { a: [] }], random) });
  if (!change) return null;
  return rendered(origin, JSON.stringify(change.value), { must: fateOf(codec, origin, key), what: change.what });
}

const KNOWN_AOP_VERSIONS: readonly unknown[] = ['2.0.0', '2.0.1-M', '2.0.1-E', '2.0.2-C'];
const AFP_LINES = ['step_start', 'text', 'step_finish'];

/** common:unknown-fields, AOP §3 and AFP §6. */
function fateOf(codec: Codec<unknown>, origin: Origin, key: string): Must {
  if (codec.unknownFields === 'kept') return 'warned';
  if (codec.protocol === 'aop') {
    return KNOWN_AOP_VERSIONS.includes(origin.json?.value.aop_version) ? 'not-accepted' : 'warned';
  }
  return key.startsWith('x-') || AFP_LINES.includes(origin.kind) ? 'accepted' : 'not-accepted';
}
