import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  HTTP_BODIES_BYTES_MAX,
  HTTP_BODY_BYTES_MAX,
  HTTP_LARGE_BODY_BYTES_MIN,
  HTTP_STRANGERS_MAX,
} from '../../domain/limits.ts';

/**
 * Connections on which nobody has shown a token yet. Past a limit the oldest is closed for each new one, so that a
 * caller with a token always gets in.
 */
export class Strangers {
  readonly #waiting = new Map<string, Socket>();

  /** Counts a connection before its first byte, so under TLS too. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const name = nameOf(socket);
      this.#waiting.set(name, socket);
      socket.once('close', () => {
        if (this.#waiting.get(name) === socket) this.#waiting.delete(name);
      });
      if (this.#waiting.size > HTTP_STRANGERS_MAX) this.#closeOldest();
    });
  }

  /** The caller on this connection has shown the operator's token. */
  admit(socket: Socket): void {
    this.#waiting.delete(nameOf(socket));
  }

  /** Includes connections that a TLS server does not know of yet. */
  closeAll(): void {
    for (const socket of this.#waiting.values()) socket.destroy();
  }

  #closeOldest(): void {
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

/** Bodies are held in memory whole: large ones share a bounded amount, and one that does not fit is refused for now. */
export class BodyMemory {
  #bytes = 0;

  /** Reserves memory for the body that a request announces; it is released with the answer. */
  reserve(request: IncomingMessage, response: ServerResponse): boolean {
    const bytes = announcedBytes(request);
    if (bytes < HTTP_LARGE_BODY_BYTES_MIN) return true;
    if (this.#bytes + bytes > HTTP_BODIES_BYTES_MAX) return false;
    this.#bytes += bytes;
    response.once('close', () => {
      this.#bytes -= bytes;
    });
    return true;
  }
}

/** A chunked body may grow to the limit. */
function announcedBytes({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return HTTP_BODY_BYTES_MAX;
  return Math.min(Number(headers['content-length'] ?? 0), HTTP_BODY_BYTES_MAX);
}
