import type { Codec } from '../codec.ts';
import { decodeAfp, decodeAfpValue } from './decode.ts';
import { encodeAfp } from './encode.ts';
import { AFP_SCHEMAS, isAfpKind } from './kinds.ts';
import type { AfpMessage } from './schema.ts';

export const afpCodec: Codec<AfpMessage> = {
  protocol: 'afp',
  kinds: Object.keys(AFP_SCHEMAS),
  unknownFields: 'refused-unless-x',
  decode: decodeAfp,
  decodeValue: decodeAfpValue,
  encode: encodeAfp,
  schemaOf: (kind) => (isAfpKind(kind) ? AFP_SCHEMAS[kind] : undefined),
};
