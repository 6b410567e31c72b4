import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';

/** The fate of a request: it passes, never arrives, or arrives and its answer is lost. */
export type Fate = 'passes' | 'request lost' | 'answer lost';

export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly fate: Fate;
}

export interface RoadParts {
  /** Asked for each request, with the number of changes before it. */
  fateOf(request: { readonly method: string; readonly path: string; readonly changes: number }): Fate;
  /** After a loss, before the caller can notice it. */
  onLoss?(): Promise<unknown>;
}

/** Between the commands of a folder and its node: loses what it is told to lose. */
export class LossyRoad {
  readonly passed: Passing[] = [];
  readonly #parts: RoadParts;
  readonly #server: Server;
  #node = new URL('http://127.0.0.1');

  private constructor(parts: RoadParts) {
    this.#parts = parts;
    this.#server = createServer((incoming, outgoing) => {
      this.#pass(incoming).then(
        ({ status, body }) => outgoing.writeHead(status, { 'content-type': 'application/json' }).end(body),
        () => incoming.socket.destroy(),
      );
    });
    after(() => this.#server.close());
  }

  /** Has node.json of the folder lead here. */
  static async before(folder: string, parts: RoadParts): Promise<LossyRoad> {
    const road = new LossyRoad(parts);
    road.#server.listen(0, '127.0.0.1');
    await once(road.#server, 'listening');
    const file = join(folder, 'node.json');
    const facts = JSON.parse(readFileSync(file, 'utf8')) as { url: string };
    road.#node = new URL(facts.url);
    const { port } = road.#server.address() as AddressInfo;
    writeFileSync(file, JSON.stringify({ ...facts, url: `http://127.0.0.1:${port}` }), { mode: 0o600 });
    return road;
  }

  /** The requests that would change something. */
  get changes(): readonly Passing[] {
    return this.passed.filter(({ method }) => method !== 'GET');
  }

  async #pass(incoming: IncomingMessage): Promise<{ status: number; body: Buffer }> {
    const { method = '', url: path = '' } = incoming;
    const body = await bytesOf(incoming);
    const fate = this.#parts.fateOf({ method, path, changes: this.changes.length });
    const key = incoming.headers['idempotency-key'];
    this.passed.push({ method, path, key: typeof key === 'string' ? key : null, fate });
    if (fate === 'request lost') {
      await this.#parts.onLoss?.();
      throw new Error('the request is lost');
    }
    const answer = await this.#ask(incoming, body);
    if (fate === 'passes') return answer;
    await this.#parts.onLoss?.();
    throw new Error('the answer is lost');
  }

  async #ask(incoming: IncomingMessage, body: Buffer): Promise<{ status: number; body: Buffer }> {
    const headers = { ...incoming.headers, host: this.#node.host, connection: 'close' };
    const { method = '', url: path = '' } = incoming;
    const outgoing = request(new URL(path, this.#node), { method, headers }).end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, body: await bytesOf(answer) };
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(message as AsyncIterable<Buffer>));
}
