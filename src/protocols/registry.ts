import type { Codec, ProtocolName } from './codec.ts';

/** One line a protocol. Loaded when first asked for, so that a command pays only for the protocol it meets. */
const LOADERS: Record<ProtocolName, () => Promise<Codec<never>>> = {
  aop: async () => (await import('./aop/codec.ts')).aopCodec as Codec<never>,
  afp: async () => (await import('./afp/codec.ts')).afpCodec as Codec<never>,
  aof: async () => (await import('./aof/codec.ts')).aofCodec as Codec<never>,
  saop: async () => (await import('./saop/codec.ts')).saopCodec as Codec<never>,
  runtime: async () => (await import('./runtime/codec.ts')).runtimeCodec as Codec<never>,
};

const loaded = new Map<ProtocolName, Promise<Codec<unknown>>>();

/** The codec, with its message type unknown to the caller: for those who pass messages on. */
export function loadCodec(protocol: ProtocolName): Promise<Codec<unknown>> {
  // To import what is there already costs more than to read a message.
  const known = loaded.get(protocol);
  if (known) return known;
  const codec = LOADERS[protocol]() as Promise<Codec<unknown>>;
  loaded.set(protocol, codec);
  return codec;
}
