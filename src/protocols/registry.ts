import type { Codec, ProtocolName } from './codec.ts';

/** One line for each protocol. A codec is loaded on first use, so a command pays only for the protocols it reads. */
const LOADERS: Record<ProtocolName, () => Promise<Codec<never>>> = {
  aop: async () => (await import('./aop/codec.ts')).aopCodec as Codec<never>,
  afp: async () => (await import('./afp/codec.ts')).afpCodec as Codec<never>,
  aof: async () => (await import('./aof/codec.ts')).aofCodec as Codec<never>,
  saop: async () => (await import('./saop/codec.ts')).saopCodec as Codec<never>,
  runtime: async () => (await import('./runtime/codec.ts')).runtimeCodec as Codec<never>,
};

const loaded = new Map<ProtocolName, Promise<Codec<unknown>>>();

/** The codec of a protocol, with an unknown message type. */
export function loadCodec(protocol: ProtocolName): Promise<Codec<unknown>> {
  // Importing a module again takes longer than decoding a message.
  const known = loaded.get(protocol);
  if (known) return known;
  const codec = LOADERS[protocol]() as Promise<Codec<unknown>>;
  loaded.set(protocol, codec);
  return codec;
}
