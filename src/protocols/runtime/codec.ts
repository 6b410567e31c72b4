import type { Codec } from '../codec.ts';
import { decodeRuntime, decodeRuntimeValue } from './decode.ts';
import { encodeRuntime } from './encode.ts';
import { JUDGED, type RuntimeMessage } from './kinds.ts';
import { ENVELOPE_KINDS, RECORD_KINDS, type RuntimeKind } from './markers.ts';
import { ackSchema } from './schema/events.ts';

const KINDS: readonly RuntimeKind[] = [...ENVELOPE_KINDS, ...RECORD_KINDS];

export const runtimeCodec: Codec<RuntimeMessage> = {
  protocol: 'runtime',
  kinds: KINDS,
  unknownFields: 'kept',
  decode: (text) => decodeRuntime(text),
  decodeValue: (value) => decodeRuntimeValue(value),
  encode: encodeRuntime,
  schemaOf: (kind) => {
    if (kind === 'ack') return ackSchema;
    const known = KINDS.find((each) => each === kind);
    return known && JUDGED[known].schema;
  },
};
