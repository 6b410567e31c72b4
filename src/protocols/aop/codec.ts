import type { Codec } from '../codec.ts';
import { decodeAop, decodeAopValue } from './decode.ts';
import { encodeAop } from './encode.ts';
import { AOP_SCHEMAS, type AopMessage } from './kinds.ts';

export const aopCodec: Codec<AopMessage> = {
  protocol: 'aop',
  kinds: [...Object.keys(AOP_SCHEMAS), 'V1'],
  unknownFields: 'refused',
  decode: (text) => decodeAop(text),
  decodeValue: (value) => decodeAopValue(value),
  encode: encodeAop,
  schemaOf: (kind) => (Object.hasOwn(AOP_SCHEMAS, kind) ? AOP_SCHEMAS[kind as keyof typeof AOP_SCHEMAS] : undefined),
};
