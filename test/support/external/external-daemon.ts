import assert from 'node:assert/strict';
import { createPrivateKey, hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeClient } from '../../../src/api/node-client.ts';
import { taken } from '../taken.ts';
import { TestDaemon } from '../test-daemon.ts';
import { ExternalStage, newKey, outcome } from './external-client.ts';

export const ALL_SCOPES = [
  ...[
    'message.read',
    'message.send',
    'task.read',
    'task.claim',
    'task.update',
    'task.complete',
    'status.read',
    'admin',
  ],
];

/** `baton up` in a process of its own, and external agents that are enrolled there. */
export class ExternalDaemon {
  readonly folder: string;
  daemon: TestDaemon;

  private constructor(folder: string, daemon: TestDaemon) {
    this.folder = folder;
    this.daemon = daemon;
  }

  static async start(folder: string, ...flags: string[]): Promise<ExternalDaemon> {
    return new ExternalDaemon(folder, await TestDaemon.start(folder, ...flags));
  }

  get url(): string {
    return this.daemon.facts.url;
  }

  get client(): NodeClient {
    return this.daemon.client;
  }

  async invite(agent: string, scopes: readonly string[] = ALL_SCOPES, ttlSeconds = 900): Promise<string> {
    return taken(await this.client.createInvite({ agent, scopes: [...scopes], ttlSeconds })).invite;
  }

  async enrol(agent: string, scopes: readonly string[] = ALL_SCOPES, alg = 'ES256'): Promise<ExternalStage> {
    const stage = new ExternalStage(this.url, await newKey(alg));
    assert.equal(outcome(await stage.enrol(await this.invite(agent, scopes))), 'ok');
    return stage;
  }

  /** kill -9, and the next node of the folder on the same port. */
  async killAndStart(): Promise<void> {
    const { port } = new URL(this.url);
    await this.daemon.end('SIGKILL');
    this.daemon = await TestDaemon.start(this.folder, '--port', port);
  }

  async project(): Promise<string> {
    const [event] = taken(await this.client.listEvents({ limit: 1 })).events;
    assert.ok(event);
    const followed = await fetch(`${this.url}/v1/events?after=999999999`, {
      headers: { authorization: `Bearer ${this.daemon.facts.token}` },
    });
    return (/"project":"(\w+)"/.exec(await followed.text()) ?? [])[1] ?? '';
  }

  /** The key that signs the access tokens of this node: whoever has the data folder can make it. */
  tokenKey() {
    const { d = '' } = createPrivateKey(readFileSync(join(this.folder, 'node.key'))).export({ format: 'jwk' });
    const seed = Buffer.from(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'baton access tokens 1', 32));
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  }
}
