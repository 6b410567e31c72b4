// The package's `./protocols`: schemas, codecs and their types, for Node and for a browser.

export { afpCodec } from './afp/codec.ts';
export { type AfpStream, EMPTY_STREAM, readStreamLine } from './afp/stream.ts';
export { aofCodec } from './aof/codec.ts';
export { aopCodec } from './aop/codec.ts';
export type {
  Accepted,
  Codec,
  DecodeHints,
  Foreign,
  Malformed,
  Problem,
  ProtocolName,
  Verdict,
  Warning,
} from './codec.ts';
export { PROTOCOL_NAMES } from './codec.ts';
export { detectProtocol } from './detect.ts';
export { publishedSchema } from './published-schema.ts';
export { type ReadHints, type ReadMessage, readMessage } from './read-message.ts';
export { runtimeCodec } from './runtime/codec.ts';
export { saopCodec } from './saop/codec.ts';
export {
  type EventPayload,
  EventPayloadSchema,
  EventSchema,
  type SaopEvent,
  type TurnEnvelope,
  TurnEnvelopeSchema,
} from './saop/schema.ts';
