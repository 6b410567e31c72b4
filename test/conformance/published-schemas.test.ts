import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@cfworker/json-schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { type Codec, PROTOCOL_NAMES, type ProtocolName } from '../../src/protocols/codec.ts';
import { AOF_PREFIX } from '../../src/protocols/detect.ts';
import { splitFrontMatter } from '../../src/protocols/front-matter.ts';
import { publishedSchema } from '../../src/protocols/published-schema.ts';
import { loadCodec } from '../../src/protocols/registry.ts';
import { readYaml } from '../../src/protocols/yaml-text.ts';
import { type CorpusRow, corpusRows, corpusText, rowName } from '../corpus/rows.ts';
import { validMessages } from '../support/message/valid-messages.ts';
import { SEED } from '../support/seed.ts';
import beyondSchemas from './beyond-schemas.json' with { type: 'json' };

type Validate = (value: unknown) => boolean;

/** Rows on which codec and schema differ for a reason that no schema can express. */
const BEYOND_SCHEMAS: ReadonlySet<string> = new Set(beyondSchemas.flatMap(({ rows }) => rows));

function compileWithAjv(schema: object): Validate {
  const ajv = new Ajv2020({ strict: true, strictRequired: false });
  formats.default(ajv);
  const validate = ajv.compile(schema);
  return (value) => validate(value);
}

function compileWithCfworker(schema: object): Validate {
  const validator = new Validator(schema, '2020-12');
  return (value) => validator.validate(value).valid;
}

/** Compiled when first needed: kind by kind. */
function validatorsOf(codec: Codec<unknown>): (kind: string) => readonly Validate[] {
  const compiled = new Map<string, readonly Validate[]>();
  return (kind) => {
    const known = compiled.get(kind);
    if (known) return known;
    const schema = publishedSchema(codec, kind);
    const both = schema ? [compileWithAjv(schema), compileWithCfworker(schema)] : [];
    compiled.set(kind, both);
    return both;
  };
}

interface Compared {
  readonly row: CorpusRow;
  readonly accepted: boolean;
  /** The verdicts of ajv and cfworker. */
  readonly valid: readonly boolean[];
}

/** The rows whose kind is known and whose text has a value that a validator can be given. */
async function compareRows(protocol: ProtocolName): Promise<readonly Compared[]> {
  const codec = await loadCodec(protocol);
  const validators = validatorsOf(codec);
  const rows = corpusRows().filter((row) => row.protocol === protocol && row.as !== null);
  return rows.flatMap((row) => {
    const text = corpusText(row);
    const verdict = codec.decode(text, { fileName: row.file, ...(row.asKind !== undefined && { kind: row.asKind }) });
    if (verdict.verdict === 'foreign' || verdict.kind === null) return [];
    const value = readValue(text);
    const both = validators(verdict.kind);
    if (value === undefined || both.length === 0) return [];
    return [{ row, accepted: verdict.verdict === 'accepted', valid: both.map((validate) => validate(value)) }];
  });
}

function readValue(text: string): unknown {
  const front = splitFrontMatter(text);
  if (front) {
    const reading = readYaml(front.yaml);
    return reading.kind === 'broken' ? undefined : reading.value;
  }
  try {
    return JSON.parse(text.startsWith(AOF_PREFIX) ? text.slice(AOF_PREFIX.length) : text);
  } catch {
    return undefined; // No JSON: there is nothing to validate.
  }
}

function describeRow({ row, accepted, valid: [ajv, cfworker] }: Compared): string {
  return `${rowName(row)}: codec ${accepted}, ajv ${ajv}, cfworker ${cfworker} (${row.note ?? row.source})`;
}

for (const protocol of PROTOCOL_NAMES) {
  test(`${protocol}: two validators compile the published schema of every kind`, async () => {
    const codec = await loadCodec(protocol);
    const withoutSchema = codec.kinds.filter((kind) => validatorsOf(codec)(kind).length === 0);
    assert.deepEqual(withoutSchema, protocol === 'aop' ? ['V1'] : []);
  });

  test(`${protocol}: two validators agree with the codec on the corpus, but where no schema can`, async () => {
    const compared = await compareRows(protocol);
    assert.ok(compared.length > 20, `${compared.length} rows`);
    const differing = compared.filter(({ accepted, valid }) => valid.some((each) => each !== accepted));
    const unlisted = differing.filter(({ row }) => !BEYOND_SCHEMAS.has(rowName(row)));
    assert.deepEqual(unlisted.map(describeRow), []);
  });
}

const MESSAGES_A_KIND = 50;

for (const protocol of PROTOCOL_NAMES) {
  test(`${protocol}: two validators take every message that the codec must accept (BATON_SEED=${SEED})`, async () => {
    const codec = await loadCodec(protocol);
    const validators = validatorsOf(codec);
    for (const kind of codec.kinds) {
      const messages = validMessages(codec, kind);
      if (!messages) continue;
      const isValid = fc.property(messages, (message) => {
        // The schema of a task file is that of its front matter.
        const value = kind === 'task' ? message.frontMatter : message;
        return validators(kind).every((validate) => validate(value));
      });
      fc.assert(isValid, { seed: SEED, numRuns: MESSAGES_A_KIND });
    }
  });
}

test('the list of what is beyond the schemas names only rows that are, each once', async () => {
  const compared = (await Promise.all(PROTOCOL_NAMES.map(compareRows))).flat();
  const agreeing = compared.filter(({ accepted, valid }) => valid.every((each) => each === accepted));
  const known = new Set(compared.map(({ row }) => rowName(row)));
  assert.deepEqual(
    agreeing.map(({ row }) => rowName(row)).filter((name) => BEYOND_SCHEMAS.has(name)),
    [],
  );
  assert.deepEqual(
    [...BEYOND_SCHEMAS].filter((name) => !known.has(name)),
    [],
  );
  assert.equal(beyondSchemas.flatMap(({ rows }) => rows).length, BEYOND_SCHEMAS.size);
});
