import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsServer } from '../../../scripts/nats-server.mjs';

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

interface BrokerPlace {
  /** In the server's own language, such as users and their permissions. */
  readonly settings?: string;
  readonly host?: string;
  /** The words before its command, such as those that run it in a network namespace. */
  readonly on?: readonly string[];
}

/** A real nats-server with JetStream on a loopback port, which a test may kill, empty and put back. */
export class TestBroker {
  readonly port: number;
  readonly folder: string;
  readonly #config: string;
  readonly #place: BrokerPlace;
  #child: ChildProcess | null = null;

  private constructor(port: number, folder: string, { settings = '', ...place }: BrokerPlace) {
    this.port = port;
    this.folder = folder;
    this.#place = place;
    this.#config = join(folder, 'nats.conf');
    const own = `listen: ${place.host ?? '127.0.0.1'}:${port}\njetstream { store_dir: "${this.store}", max_mem: 64M, max_file: 4G }\n`;
    writeFileSync(this.#config, own + settings);
  }

  static async start(place: BrokerPlace = {}): Promise<TestBroker> {
    const folder = mkdtempSync(join(tmpdir(), 'baton-nats-'));
    const broker = new TestBroker(await freePort(), folder, place);
    // Not a hook of the test runner: one that is set in a `before` runs right after it.
    process.once('exit', () => {
      broker.#child?.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    });
    await broker.up();
    return broker;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  get store(): string {
    return join(this.folder, 'store');
  }

  async up(): Promise<void> {
    const server = [natsServer() ?? 'nats-server', '-c', this.#config];
    const [command = '', ...args] = [...(this.#place.on ?? []), ...server];
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.on('exit', () => reject(new Error(`nats-server ended: ${said}`)));
      child.stderr?.setEncoding('utf8').on('data', (text) => {
        said += text;
        if (/Server is ready/.test(said)) resolve();
      });
    });
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    this.#child = null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Removes the files of a server that is down. */
  wipe(): void {
    rmSync(this.store, { recursive: true, force: true, maxRetries: 10 });
  }

  /** A copy of the store of a server that is down, to be put back with `putBack`. */
  copyStore(): string {
    const copy = mkdtempSync(join(this.folder, 'copy-'));
    mkdirSync(this.store, { recursive: true });
    cpSync(this.store, copy, { recursive: true });
    return copy;
  }

  putBack(copy: string): void {
    this.wipe();
    cpSync(copy, this.store, { recursive: true });
  }
}
