import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsServer } from '../../scripts/nats-server.mjs';

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** A real nats-server with JetStream on a loopback port, which a test may kill, empty and put back. */
export class TestBroker {
  readonly port: number;
  readonly folder: string;
  readonly #config: string;
  #child: ChildProcess | null = null;

  private constructor(port: number, folder: string, settings: string) {
    this.port = port;
    this.folder = folder;
    this.#config = join(folder, 'nats.conf');
    const own = `listen: 127.0.0.1:${port}\njetstream { store_dir: "${this.store}", max_mem: 64M, max_file: 4G }\n`;
    writeFileSync(this.#config, own + settings);
  }

  /** With settings of the server's own language, such as users and their permissions. */
  static async start(settings = ''): Promise<TestBroker> {
    const folder = mkdtempSync(join(tmpdir(), 'baton-nats-'));
    const broker = new TestBroker(await freePort(), folder, settings);
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
    const child = spawn(natsServer() ?? 'nats-server', ['-c', this.#config], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text) => (said += text));
    while (!/Server is ready/.test(said)) {
      if (child.exitCode !== null) throw new Error(`nats-server ended: ${said}`);
      await Promise.race([once(child.stderr as NodeJS.ReadableStream, 'data'), once(child, 'exit')]);
    }
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
