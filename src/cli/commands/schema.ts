import { PROTOCOL_NAMES, type ProtocolName } from '../../protocols/codec.ts';
import { isProtocolName } from '../../protocols/detect.ts';
import { publishedSchema } from '../../protocols/published-schema.ts';
import { loadCodec } from '../../protocols/registry.ts';
import { type Answer, type Command, UsageError } from '../command.ts';

interface SchemaName {
  readonly protocol: ProtocolName;
  readonly kind: string;
}

export const schemaCommand: Command = {
  usage: 'baton schema [PROTOCOL [KIND]]',
  about: 'JSON Schema 2020-12 of every message. Without arguments, the list; with a protocol, all of its schemas.',
  examples: ['baton schema', 'baton schema aop TASK > task.schema.json', 'baton schema runtime --json'],
  flags: {},
  async run({ words }) {
    const [protocol, kind, tooMany] = words;
    if (tooMany !== undefined)
      throw new UsageError(`schema: one word too many: ${tooMany}`, 'baton schema PROTOCOL KIND');
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
    for (const kind of (await loadCodec(protocol)).kinds) names.push({ protocol, kind });
  }
  return { values: names, human: ({ protocol, kind }) => `${protocol.padEnd(8)} ${kind}`, exitCode: () => 0 };
}

async function schemasOf(protocol: ProtocolName, kind: string | undefined): Promise<Answer<unknown>> {
  const codec = await loadCodec(protocol);
  const kinds = codec.kinds.filter((name) => (kind === undefined || name === kind) && codec.schemaOf(name));
  if (kinds.length === 0) {
    throw new UsageError(`schema: ${protocol} has no JSON message ${JSON.stringify(kind)}`, `baton schema ${protocol}`);
  }
  const values = kinds.map((name) => publishedSchema(codec, name));
  return { values, human: (schema) => JSON.stringify(schema, null, 2), exitCode: () => 0 };
}
