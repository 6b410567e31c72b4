import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

/** An HTTP proxy between a browser and a node that can be cut and repaired, as a network can. */
export class BreakableRoad {
  readonly #server: Server;
  #isCut = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<BreakableRoad> {
    const server = createServer();
    const road = new BreakableRoad(server);
    server.on('request', (asked, answer) => {
      if (road.#isCut) {
        asked.socket.destroy();
        return;
      }
      const { method, headers } = asked;
      const passed = request(asked.url ?? '', { method, headers }, (found) => {
        answer.writeHead(found.statusCode ?? 502, found.headers);
        found.pipe(answer);
      });
      // Either end may vanish: that is what the road is for.
      passed.on('error', () => answer.destroy());
      answer.on('close', () => passed.destroy());
      asked.pipe(passed);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => {
      server.close();
      server.closeAllConnections();
    });
    return road;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.#isCut = true;
    this.#server.closeAllConnections();
  }

  repair(): void {
    this.#isCut = false;
  }
}
