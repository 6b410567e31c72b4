import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { HTTP_STRANGERS_MAX } from '../../domain/limits.ts';

/**
 * Connections on which nobody has shown a token yet. They may be many, and say nothing: past a number the oldest goes
 * for each that comes, so that one who has something to say always finds a place.
 */
export class Strangers {
  readonly #waiting = new Map<string, Socket>();

  /** Under TLS too: what is counted is the connection, before its first byte. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const name = nameOf(socket);
      this.#waiting.set(name, socket);
      socket.once('close', () => {
        if (this.#waiting.get(name) === socket) this.#waiting.delete(name);
      });
      if (this.#waiting.size > HTTP_STRANGERS_MAX) this.#sendAway();
    });
  }

  /** Its caller has shown the token. */
  admit(socket: Socket): void {
    this.#waiting.delete(nameOf(socket));
  }

  /** Those too that a server under TLS does not know of yet. */
  sendAllAway(): void {
    for (const socket of this.#waiting.values()) socket.destroy();
  }

  #sendAway(): void {
    const [oldest] = this.#waiting;
    if (!oldest) return;
    const [name, socket] = oldest;
    this.#waiting.delete(name);
    socket.destroy();
  }
}

/** The same for a connection and for the TLS above it. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
