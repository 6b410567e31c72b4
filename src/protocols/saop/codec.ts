import type { Codec } from '../codec.ts';
import { decodeSaop, decodeSaopValue } from './decode.ts';
import { encodeSaop } from './encode.ts';
import { isSaopKind, SAOP_SCHEMAS } from './kinds.ts';
import type { SaopMessage } from './schema.ts';

export const saopCodec: Codec<SaopMessage> = {
  protocol: 'saop',
  kinds: Object.keys(SAOP_SCHEMAS),
  unknownFields: 'kept',
  decode: decodeSaop,
  decodeValue: decodeSaopValue,
  encode: encodeSaop,
  schemaOf: (kind) => (isSaopKind(kind) ? SAOP_SCHEMAS[kind] : undefined),
};
