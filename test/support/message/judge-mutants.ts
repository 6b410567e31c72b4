import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { inspect } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Accepted, Codec, ProtocolName, Verdict, Warning } from '../../../src/protocols/codec.ts';
import { publishedSchema } from '../../../src/protocols/published-schema.ts';
import { loadCodec } from '../../../src/protocols/registry.ts';
import { randomOf, SEED } from '../seed.ts';
import { type Mutant, mutantOf, originsOf } from './mutants.ts';

const JUDGEMENT_MS_P99_MAX = 50;
const SENTENCE_CHARACTERS_MAX = 400;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

/** The totals of a run of mutants, for the report. */
export interface Tally {
  readonly origins: number;
  readonly verdicts: Readonly<Record<Verdict<unknown>['verdict'], number>>;
  readonly p99Ms: number;
}

/** Judges mutants of a protocol's messages; throws at the first that is judged wrongly, with what replays it. */
export async function judgeMutants(protocol: ProtocolName, count: number): Promise<Tally> {
  const codec = await loadCodec(protocol);
  const origins = originsOf(codec, SEED);
  const isValid = validatorOf(codec);
  const tookMs: number[] = [];
  const verdicts = { accepted: 0, foreign: 0, malformed: 0 };
  const prototypes = prototypesNow();
  for (const index of indexes(count)) {
    const mutant = mutantOf(codec, origins, randomOf(SEED, index));
    try {
      const startedMs = performance.now();
      const verdict = codec.decode(mutant.text, mutant.hints);
      tookMs.push(performance.now() - startedMs);
      assertVerdict(verdict, mutant);
      if (verdict.verdict === 'accepted') assertWhole(codec, verdict, isValid);
      assert.equal(prototypeKeys(), prototypes.keys, 'a prototype changed');
      verdicts[verdict.verdict]++;
    } catch (error) {
      throw new Error(replay(protocol, index, mutant), { cause: error });
    }
  }
  assert.deepEqual(prototypesNow(), prototypes);
  const p99Ms = tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length * 0.99)] ?? 0;
  assert.ok(p99Ms < JUDGEMENT_MS_P99_MAX, `p99 of one judgement: ${p99Ms} ms`);
  return { origins: origins.length, verdicts, p99Ms };
}

/** All of them, or the one that BATON_CASE names. */
function* indexes(count: number): Generator<number> {
  const only = process.env.BATON_CASE;
  if (only !== undefined) yield Number(only);
  else for (let index = 0; index < count; index++) yield index;
}

function replay(protocol: string, index: number, { what, must, text, hints }: Mutant): string {
  const shown = inspect(text, { maxStringLength: 1_500, breakLength: Number.POSITIVE_INFINITY });
  const how = `BATON_SEED=${SEED} BATON_CASE=${index}`;
  return `${protocol}, ${how}: ${what}; must be ${must}; hints ${JSON.stringify(hints)}\n${shown}`;
}

function assertVerdict(verdict: Verdict<unknown>, { must }: Mutant): void {
  assert.ok(['accepted', 'foreign', 'malformed'].includes(verdict.verdict));
  for (const warning of verdict.warnings) assertSays(warning);
  if (must === 'not-accepted') assert.notEqual(verdict.verdict, 'accepted');
  if (must === 'accepted' || must === 'warned') assert.equal(verdict.verdict, 'accepted', inspect(verdict));
  if (must === 'warned')
    assert.ok(
      verdict.warnings.some(({ code }) => code === 'unknown_field'),
      'no warning',
    );
  if (verdict.verdict !== 'malformed') return;
  assert.match(verdict.code, /^\w+$/);
  assert.ok(verdict.errors.length > 0, 'malformed without an error');
  for (const error of verdict.errors) assertSays({ code: verdict.code, ...error });
}

function assertSays({ code, path, message }: Warning): void {
  assert.match(code, /^\w+$/);
  assert.match(path, POINTER);
  assert.ok(message.trim() !== '', 'an empty sentence');
  assert.doesNotMatch(message, /[\n\r\u2028\u2029]/);
  assert.ok(message.length <= SENTENCE_CHARACTERS_MAX, `a sentence of ${message.length} characters: ${message}`);
}

type IsValid = (kind: string, message: unknown) => string | null;

/** Ajv on the published schemas; the answer is what is wrong. */
function validatorOf(codec: Codec<unknown>): IsValid {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  const compiled = new Map(
    codec.kinds.map((kind) => {
      const schema = publishedSchema(codec as Codec<never>, kind);
      return [kind, schema ? ajv.compile(schema) : null];
    }),
  );
  return (kind, message) => {
    const validate = compiled.get(kind);
    return !validate || validate(message) ? null : ajv.errorsText(validate.errors);
  };
}

/** An accepted message is valid for other validators too, and survives encoding and decoding. */
function assertWhole(codec: Codec<unknown>, { kind, message }: Accepted<unknown>, isValid: IsValid): void {
  const isTaskFile = typeof message === 'object' && message !== null && 'frontMatter' in message;
  assert.equal(isValid(kind, isTaskFile ? message.frontMatter : message), null);
  const text = codec.encode(message);
  const again = codec.decode(text, { kind });
  assert.equal(again.verdict, 'accepted', `encoded again it is not accepted: ${inspect(again)}`);
  if (again.verdict !== 'accepted') return;
  assert.equal(canonical(again.message), canonical(message));
}

/** The same text for the same JSON value, whatever the order of its keys; 0 and -0 are one number in JSON. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function prototypeKeys(): number {
  return Reflect.ownKeys(Object.prototype).length + Reflect.ownKeys(Array.prototype).length;
}

function prototypesNow() {
  const { getOwnPropertyDescriptors } = Object;
  const [object, array] = [getOwnPropertyDescriptors(Object.prototype), getOwnPropertyDescriptors(Array.prototype)];
  return { keys: prototypeKeys(), object, array };
}
