import type { Codec } from '../codec.ts';
import { decodeAof, decodeAofValue } from './decode.ts';
import { encodeAof } from './encode.ts';
import { AOF_SCHEMAS, type AofKind, type AofMessage } from './kinds.ts';

export const aofCodec: Codec<AofMessage> = {
  protocol: 'aof',
  kinds: Object.keys(AOF_SCHEMAS),
  unknownFields: 'kept',
  decode: decodeAof,
  decodeValue: decodeAofValue,
  encode: encodeAof,
  schemaOf: (kind) => (Object.hasOwn(AOF_SCHEMAS, kind) ? AOF_SCHEMAS[kind as AofKind] : undefined),
};
