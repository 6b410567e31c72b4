import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, headers } from '@nats-io/transport-node';
import { noNatsServer } from '../../scripts/nats-server.mjs';
import { FramePublisher } from '../../src/federation/nats/frame-publisher.ts';
import { systemTimer } from '../../src/platform/timer.ts';
import { TestBroker } from '../support/federation/test-broker.ts';

test('a batch ends with the answers of the store, and with the first failure among them', {
  skip: noNatsServer(),
}, async () => {
  const broker = await TestBroker.start();
  const connection = await connect({ servers: broker.url, inboxPrefix: '_INBOX_a' });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'KEPT', subjects: ['kept.*'], max_msg_size: 100 });
  const publisher = new FramePublisher(connection, systemTimer(), 'a');
  const to = (subject: string, data = 'x') => ({ subject, data, headers: headers() });
  await publisher.publish([]);
  await Promise.all([
    publisher.publish(Array.from({ length: 300 }, () => to('kept.one'))),
    publisher.publish([to('kept.two')]),
  ]);
  assert.equal((await manager.streams.info('KEPT')).state.messages, 301);
  await assert.rejects(publisher.publish([to('kept.one'), to('nowhere.one')]), /no stream for this subject/);
  await assert.rejects(publisher.publish([to('kept.one', 'x'.repeat(200)), to('kept.one')]), /message size exceeds/);
  assert.equal((await manager.streams.info('KEPT')).state.messages, 303);
  await connection.close();
  await assert.rejects(publisher.publish([to('kept.one')]));
  await broker.kill();
});
