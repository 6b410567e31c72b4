import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { PROXY_CONNECT_MS_MAX } from '../../../domain/limits.ts';

/** The way from a proxy into the network, handed in so that a test can put another network there. */
export interface Outside {
  /** Every address of a name; throws where it has none. */
  resolve(name: string): Promise<readonly string[]>;
  connect(address: string, port: number): Socket;
}

export function systemNetwork(): Outside {
  return {
    resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
    connect: (address, port) => {
      const socket = connect({ host: address, port, timeout: PROXY_CONNECT_MS_MAX });
      // Once there, it may be silent as long as it likes: a model thinks.
      return socket.once('connect', () => socket.setTimeout(0));
    },
  };
}
