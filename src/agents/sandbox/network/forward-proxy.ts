import { lookup } from 'node:dns/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, createServer as createSocketServer, type Socket, type Server as SocketServer } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { PROXY_CONNECT_MS_MAX, PROXY_CONNECTIONS_MAX } from '../../../domain/process-limits.ts';
import type { NetworkGrant } from '../sandbox.ts';
import { AllowList, type HostPort, isOpenAddress, readTarget } from './allow-list.ts';

export const PROXY_SOCKET = 'proxy.sock';

export function portSocket(port: number): string {
  return `port-${port}.sock`;
}

/** Headers for one hop only; not forwarded. */
const HOP_HEADERS = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** The network behind a proxy; a test passes its own. */
export interface Outside {
  /** Every address of a name; throws if it has none. */
  resolve(name: string): Promise<readonly string[]>;
  connect(address: string, port: number): Socket;
}

export function systemNetwork(): Outside {
  return {
    resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
    connect: (address, port) => {
      const socket = connect({ host: address, port, timeout: PROXY_CONNECT_MS_MAX });
      // Connected, it may stay silent as long as it likes: a model thinks.
      return socket.once('connect', () => socket.setTimeout(0));
    },
  };
}

/** Hears about the targets of a process, as `name:port`. */
export interface NetworkListener {
  /** Each target that is not granted, as often as it is tried. */
  readonly onRefused?: ((host: string) => void) | undefined;
  /** Each granted target that is tried: null if it could be reached, else why not. */
  readonly onTried?: ((host: string, problem: string | null) => void) | undefined;
}

/**
 * The only way out of a sandbox with a restricted network: an HTTP proxy on a unix socket in a folder of its own. It
 * resolves a name once, judges the addresses, and connects to an address it judged.
 */
export class ForwardProxy {
  readonly #hasHosts: boolean;
  readonly #allowed: AllowList;
  readonly #outside: Outside;
  readonly #hears: NetworkListener;
  readonly #servers: SocketServer[] = [];
  readonly #open = new Set<Duplex>();

  constructor(
    { hosts, loopbackPorts }: Omit<NetworkGrant, 'level'>,
    outside: Outside = systemNetwork(),
    hears: NetworkListener = {},
  ) {
    this.#hasHosts = hosts.length > 0;
    this.#allowed = new AllowList(hosts, loopbackPorts);
    this.#outside = outside;
    this.#hears = hears;
  }

  /** Opens one socket for the proxy if any host is granted, and one for each loopback port, passed through unchanged. */
  async listen(folder: string, loopbackPorts: readonly number[]): Promise<void> {
    if (this.#hasHosts) await this.#serve(this.#proxy(), join(folder, PROXY_SOCKET));
    for (const port of loopbackPorts) {
      const target = { host: '127.0.0.1', port };
      const server = createSocketServer((socket) => this.#join(socket, this.#connect(target, target.host)));
      await this.#serve(server, join(folder, portSocket(port)));
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  #proxy(): Server {
    // Not imported: that would load Node's HTTP client at the start of every command.
    const server = process
      .getBuiltinModule('node:http')
      .createServer((asked, answer) => void this.#forward(asked, answer));
    server.on('connect', (asked, socket) => void this.#tunnel(asked, socket));
    server.on('upgrade', (asked, socket) => refuse(socket, UPGRADE, asked.url));
    return server;
  }

  #serve(server: SocketServer, path: string): Promise<void> {
    this.#servers.push(server);
    server.maxConnections = PROXY_CONNECTIONS_MAX;
    server.on('connection', (socket: Socket) => this.#track(socket));
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
  }

  async #tunnel(asked: IncomingMessage, socket: Duplex): Promise<void> {
    const target = readTarget(asked.url ?? '', null);
    const found = await this.#find(target);
    if (!target || found.kind !== 'address') return refuse(socket, ANSWERS[failureOf(found)], asked.url);
    const remote = this.#connect(target, found.address);
    remote.once('connect', () => socket.write('HTTP/1.1 200 Connection Established\r\n\r\n'));
    this.#join(socket, remote);
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const url = URL.parse(asked.url ?? '');
    const target = url?.protocol === 'http:' ? readTarget(url.host, 80) : null;
    const found = await this.#find(target);
    if (!url || !target || found.kind !== 'address') {
      const { status, words } = ANSWERS[failureOf(found)];
      answer.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${asked.url} ${words}\n`);
      return;
    }
    const remote = process.getBuiltinModule('node:http').request({
      createConnection: () => this.#track(this.#connect(target, found.address)),
      method: asked.method,
      path: url.pathname + url.search,
      headers: { ...ownHeaders(asked), host: url.host, connection: 'close' },
    });
    remote.on('error', () => answer.destroy());
    remote.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, ownHeaders(response));
      // A pipe leaves its target open when its source breaks off: the client would wait for the rest for ever.
      response.on('close', () => void (response.complete || answer.destroy()));
      response.pipe(answer);
    });
    answer.on('close', () => remote.destroy());
    asked.pipe(remote);
  }

  async #find(target: HostPort | null): Promise<Lookup> {
    const found: Lookup = target ? await this.#addressOf(target) : { kind: 'refused' };
    if (target && found.kind === 'refused') this.#hears.onRefused?.(nameOf(target));
    if (target && found.kind === 'unknown')
      this.#hears.onTried?.(nameOf(target), 'it has no address here; is this machine online?');
    return found;
  }

  #connect(target: HostPort, address: string): Socket {
    const socket = this.#outside.connect(address, target.port);
    const { onTried } = this.#hears;
    if (!onTried) return socket;
    let problem: string | null = 'it did not answer in time';
    socket.once('connect', () => {
      problem = null;
      onTried(nameOf(target), null);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (problem !== null)
        problem = error.code === 'ECONNREFUSED' ? 'it refuses connections' : (error.code ?? problem);
    });
    socket.once('close', () => problem !== null && onTried(nameOf(target), problem));
    return socket;
  }

  /** A name with any address that is not public is refused. */
  async #addressOf(target: HostPort): Promise<Lookup> {
    const { kind } = this.#allowed.judge(target);
    if (kind === 'refused') return { kind };
    const { port } = target;
    if (kind === 'loopback') return { kind: 'address', address: '127.0.0.1', port };
    try {
      const addresses = await this.#outside.resolve(target.host);
      const [address] = addresses;
      if (address === undefined) return { kind: 'unknown' };
      return addresses.every(isOpenAddress) ? { kind: 'address', address, port } : { kind: 'refused' };
    } catch {
      // No such name, or no network.
      return { kind: 'unknown' };
    }
  }

  #join(one: Duplex, other: Duplex): void {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      this.#track(from);
      // After a regular end, bytes already read still reach the other side.
      from.on('close', () => void (from.readableEnded || to.destroy()));
      from.pipe(to);
    }
  }

  #track<Tracked extends Duplex>(socket: Tracked): Tracked {
    if (this.#open.has(socket)) return socket;
    this.#open.add(socket);
    // A broken connection is closed, which closes the other side too.
    socket.on('error', () => socket.destroy());
    socket.on('timeout', () => socket.destroy());
    socket.once('close', () => this.#open.delete(socket));
    return socket;
  }
}

type Lookup =
  | { readonly kind: 'address'; readonly address: string; readonly port: number }
  | { readonly kind: 'refused' | 'unknown' };

function failureOf({ kind }: Lookup): 'refused' | 'unknown' {
  return kind === 'unknown' ? kind : 'refused';
}

function nameOf({ host, port }: HostPort): string {
  return `${host}:${port}`;
}

/** A granted name that leads nowhere, as without a network, is no refusal: a client may try again. */
const ANSWERS = {
  refused: { status: 403, words: 'is not granted' },
  unknown: { status: 502, words: 'has no address here: is this machine online?' },
} as const;
const UPGRADE = { status: 403, words: 'is an upgrade, which is not forwarded: use CONNECT' };

function refuse(socket: Duplex, { status, words }: { status: number; words: string }, target = ''): void {
  const text = `${target} ${words}\n`;
  const reason = status === 403 ? 'Forbidden' : 'Bad Gateway';
  const head = `HTTP/1.1 ${status} ${reason}\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  socket.end(`${head}connection: close\r\n\r\n${text}`);
}

function ownHeaders({ headers }: IncomingMessage): Record<string, string | string[]> {
  const forwarded = Object.entries(headers).filter(
    ([name]) => !HOP_HEADERS.includes(name) && !name.startsWith('proxy-'),
  );
  return Object.fromEntries(forwarded.map(([name, value]) => [name, value ?? '']));
}
