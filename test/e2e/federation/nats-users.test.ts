import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { noNatsServer } from '../../../scripts/nats-server.mjs';
import { natsNames } from '../../../src/federation/nats/frame-message.ts';
import { NatsTransport } from '../../../src/federation/nats/nats-transport.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { silentLogger } from '../../../src/platform/logger.ts';
import { systemTimer } from '../../../src/platform/timer.ts';
import { scratchFolder } from '../../support/data-folder.ts';
import { TestBroker } from '../../support/federation/test-broker.ts';
import { connected } from '../../support/federation/transport-stages.ts';
import { inTime } from '../../support/in-time.ts';
import { runBaton } from '../../support/run-baton.ts';

const names = natsNames('baton');

/** Subjects that the user of one node may not publish to, or listen to, because they are another's. */
const NO_PUBLISH = [
  names.frame('left', 'third'),
  names.frame('right', 'left').replace('right', 'left'),
  '$JS.API.STREAM.DELETE.baton_out_left',
  '$JS.API.STREAM.PURGE.baton_out_left',
  '$JS.API.STREAM.UPDATE.baton_out_left',
  '$JS.API.STREAM.CREATE.baton_out_left',
  '$JS.API.STREAM.MSG.GET.baton_out_left',
  '$JS.API.STREAM.MSG.DELETE.baton_out_left',
  '$JS.API.STREAM.DELETE.KV_baton_control',
  '$JS.API.STREAM.PURGE.KV_baton_control',
  `$JS.API.DIRECT.GET.baton_out_left.${names.frame('left', 'third')}`,
  '$JS.API.DIRECT.GET.baton_out_left',
  '$JS.API.CONSUMER.CREATE.baton_out_left',
  `$JS.API.CONSUMER.CREATE.baton_out_left.spy.${names.frame('left', 'third')}`,
  '$JS.API.CONSUMER.DURABLE.CREATE.baton_out_left.spy',
  '$KV.baton_control.delivery.cursors.left.third',
  '$KV.baton_control.delivery.routes.third.left',
  '$KV.baton_control.delivery.routes.right.left',
  '$KV.baton_control.delivery.wanted.left.third',
  '$KV.baton_control.anything',
  '_INBOX_left.forged',
  'anything',
];
const NO_SUBSCRIBE = [
  '>',
  'baton.>',
  names.outbox('left'),
  '_INBOX_left.>',
  '_INBOX.>',
  '$KV.>',
  '$JS.API.>',
  '$SYS.>',
];

describe('a user for each node', { skip: noNatsServer(), concurrency: 1 }, () => {
  const folder = join(scratchFolder('nats-users'), 'server');
  let broker: TestBroker;
  let spy: NatsConnection;
  const violations: string[] = [];
  let tell = () => {};
  /** Resolves when the server has refused something. */
  const refused = async () => {
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    if (violations.length === 0) await inTime(told, 'a violation');
  };
  before(async () => {
    const made = await runBaton(['node', 'server', 'left', 'right', 'third', '--out', folder, '--json']);
    assert.equal(made.status, 0, made.stderr);
    // The test's server has its own address and store.
    const config = readFileSync(join(folder, 'nats.conf'), 'utf8').replace(/^(listen|jetstream).*\n/gm, '');
    broker = await TestBroker.start({ settings: config });
    const seed = readFileSync(join(folder, 'right.nkey'), 'utf8').trim();
    spy = await connect({
      servers: broker.url,
      authenticator: nkeyAuthenticator(Buffer.from(seed)),
      inboxPrefix: '_INBOX_right',
    });
    void (async () => {
      for await (const status of spy.status()) {
        if (status.type === 'error') violations.push(String(status.error));
        tell();
      }
    })();
  });
  after(async () => {
    await spy.close();
    await broker.kill();
  });

  test('the files are for their user alone, and none is replaced', async () => {
    for (const name of ['nats.conf', 'left.nkey', 'right.nkey']) {
      assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
    }
    const before = readFileSync(join(folder, 'left.nkey'), 'utf8');
    const again = await runBaton(['node', 'server', 'left', '--out', folder]);
    assert.deepEqual([again.status, readFileSync(join(folder, 'left.nkey'), 'utf8')], [2, before]);
    assert.match(again.stderr, /nats\.conf exists, and stays/);
  });

  test('a node with its user joins and writes its outbox', async () => {
    const parts = { clock: systemClock(), timer: systemTimer(), log: silentLogger };
    const creds = join(folder, 'left.nkey');
    const left = new NatsTransport({ ...parts, url: broker.url, creds, tls: null, names, node: 'left', replicas: 1 });
    await connected(left);
    assert.equal(await left.ownHead(), null);
    await left.close();
  });

  for (const subject of NO_PUBLISH) {
    test(`the user of another node does not publish to ${subject}`, async () => {
      violations.length = 0;
      spy.publish(subject, '{}');
      await refused();
      assert.match(violations.join(), /permissions violation for publish/i);
    });
  }

  for (const subject of NO_SUBSCRIBE) {
    test(`the user of another node does not listen to ${subject}`, async () => {
      violations.length = 0;
      const listening = spy.subscribe(subject);
      await refused();
      assert.match(violations.join(), /permissions violation for subscription/i);
      listening.unsubscribe();
    });
  }

  test('nobody connects without credentials, or with those of nobody', async () => {
    await assert.rejects(connect({ servers: broker.url, maxReconnectAttempts: 0 }), /authorization/i);
    const wrong = join(folder, 'wrong.nkey');
    writeFileSync(wrong, 'no seed\n');
    const joined = await runBaton(['node', 'join', broker.url, '--node', 'left', '--creds', wrong], {
      folder: scratchFolder('nats-nobody'),
    });
    assert.notEqual(joined.status, 0);
    assert.match(joined.stderr, /has neither the seed of a user \(SU…\) nor a JWT of NATS/);
  });
});
