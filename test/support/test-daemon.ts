import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { httpClient } from '../../src/api/http/http-client.ts';
import type { NodeClient } from '../../src/api/node-client.ts';
import { BATON } from './run-baton.ts';

export interface EndedDaemon {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface NodeFacts {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

/** `baton up` in a process of its own, as a person would have it in a terminal. */
export class TestDaemon {
  readonly folder: string;
  readonly child: ChildProcess;
  readonly ended: Promise<EndedDaemon>;
  stdout = '';
  stderr = '';

  private constructor(folder: string, child: ChildProcess) {
    this.folder = folder;
    this.child = child;
    this.ended = once(child, 'close').then(([status, signal]) => ({ status, signal }));
    child.stdout?.setEncoding('utf8').on('data', (text) => (this.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text) => (this.stderr += text));
  }

  /** Started, but perhaps not ready. */
  static spawn(folder: string, ...flags: string[]): TestDaemon {
    return TestDaemon.spawnWith({}, folder, ...flags);
  }

  static spawnWith(environment: Readonly<Record<string, string>>, folder: string, ...flags: string[]): TestDaemon {
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    return TestDaemon.spawnBy(['env', ...variables], folder, ...flags);
  }

  /** Through a program that becomes it. */
  static spawnBy([program = '', ...words]: readonly string[], folder: string, ...flags: string[]): TestDaemon {
    const args = [...words, BATON, 'up', '--json', '--data', folder, ...flags];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    // A test that fails must not leave it behind.
    after(() => child.kill('SIGKILL'));
    return new TestDaemon(folder, child);
  }

  static async start(folder: string, ...flags: string[]): Promise<TestDaemon> {
    const daemon = TestDaemon.spawn(folder, ...flags);
    if (!(await daemon.isUp())) throw new Error(`not up: ${daemon.stderr}`);
    return daemon;
  }

  /** Whether it came up, or ended instead. */
  async isUp(): Promise<boolean> {
    const isReady = async () => {
      while (!/^\{"url".*\n/.test(this.stdout)) await once(this.child.stdout as NodeJS.ReadableStream, 'data');
      return true;
    };
    return await Promise.race([isReady(), this.ended.then(() => false)]);
  }

  get facts(): NodeFacts {
    return JSON.parse(readFileSync(join(this.folder, 'node.json'), 'utf8')) as NodeFacts;
  }

  get client(): NodeClient {
    return httpClient(this.facts);
  }

  /** The events of its log. */
  get events(): string[] {
    return this.logLines().map(({ event }) => event);
  }

  logLines(): { event: string }[] {
    return this.stderr
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { event: string });
  }

  /** Until its log tells of an event. */
  async untilLogged(event: string): Promise<void> {
    while (!this.events.includes(event)) await once(this.child.stderr as NodeJS.ReadableStream, 'data');
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<EndedDaemon> {
    this.child.kill(signal);
    return await this.ended;
  }
}
