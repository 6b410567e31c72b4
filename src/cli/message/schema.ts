import { type Codec, PROTOCOL_NAMES, type ProtocolName } from '../../protocols/codec.ts';
import { isProtocolName } from '../../protocols/detect.ts';
import { publishedSchema } from '../../protocols/published-schema.ts';
import { loadCodec } from '../../protocols/registry.ts';
import { type Answer, type CliCommand, UsageError } from '../command.ts';

interface SchemaName {
  readonly protocol: ProtocolName;
  readonly kind: string;
}

export const schemaCommand: CliCommand = {
  usage: 'baton schema [PROTOCOL [KIND]]',
  about: [
    'Prints the JSON Schema (2020-12) of a message. Without arguments it lists all messages; with a protocol it prints all',
    'of its schemas. A schema describes the shape of a message; baton check also applies the rules between fields.',
  ].join(' '),
  examples: ['baton schema', 'baton schema aop TASK > task.schema.json', 'baton schema runtime --json'],
  ignores: ['data', 'key'],
  flags: {},
  async run({ words }) {
    const [protocol, kind, tooMany] = words;
    if (tooMany !== undefined)
      throw new UsageError(`schema: too many arguments: ${tooMany}`, 'baton schema PROTOCOL KIND');
    if (protocol === undefined) return await list();
    if (!isProtocolName(protocol)) {
      throw new UsageError(
        `schema: no protocol ${JSON.stringify(protocol)}`,
        `baton schema ${PROTOCOL_NAMES.join('|')}`,
      );
    }
    return await schemasOf(protocol, kind);
  },
};

async function list(): Promise<Answer<SchemaName>> {
  const names: SchemaName[] = [];
  for (const protocol of PROTOCOL_NAMES) {
    for (const kind of kindsWithSchema(await loadCodec(protocol))) names.push({ protocol, kind });
  }
  return { values: names, human: ({ protocol, kind }) => `${protocol.padEnd(8)} ${kind}`, exitCode: () => 0 };
}

async function schemasOf(protocol: ProtocolName, kind: string | undefined): Promise<Answer<unknown>> {
  const codec = await loadCodec(protocol);
  const kinds = kindsWithSchema(codec);
  if (kind !== undefined && !kinds.includes(kind)) {
    const near = kinds.find((name) => name.toLowerCase() === kind.toLowerCase()) ?? kinds.join('|');
    throw new UsageError(
      `schema: ${protocol} has no message ${JSON.stringify(kind)}`,
      `baton schema ${protocol} ${near}`,
    );
  }
  const wanted = kind === undefined ? kinds : [kind];
  return {
    values: wanted.map((name) => publishedSchema(codec, name)),
    human: (schema) => JSON.stringify(schema, null, 2),
    exitCode: () => 0,
  };
}

/** Kinds that are not JSON, such as AOP's V1 markdown, have no schema. */
function kindsWithSchema(codec: Codec<unknown>): readonly string[] {
  return codec.kinds.filter((kind) => codec.schemaOf(kind) !== undefined);
}
