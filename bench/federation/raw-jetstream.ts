import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

const STREAM = 'RAW';

/** Messages a second that JetStream alone publishes and passes on, each with its acknowledgement, of the same bytes. */
export async function rawRate(url: string, count: number, text: string): Promise<number> {
  // The same options as Baton's own connection.
  const options = { servers: url, noAsyncTraces: true };
  const [writer, reader] = [await connect(options), await connect(options)];
  const jsm = await jetstreamManager(writer);
  await jsm.streams.add({ name: STREAM, subjects: ['raw.>'] });
  await jsm.consumers.add(STREAM, {
    durable_name: 'reader',
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
  });
  try {
    const js = jetstream(writer);
    const consumer = await jetstream(reader).consumers.get(STREAM, 'reader');
    const messages = await consumer.consume({ max_messages: 1_000 });
    const startedMs = performance.now();
    const published = (async () => {
      // As many under way as a batch of Baton's publisher has.
      for (let sent = 0; sent < count; sent += 256) {
        const part = Math.min(256, count - sent);
        await Promise.all(Array.from({ length: part }, () => js.publish('raw.to', text)));
      }
    })();
    let read = 0;
    for await (const message of messages) {
      message.ack();
      if (++read === count) break;
    }
    await Promise.all([published, reader.flush()]);
    return count / ((performance.now() - startedMs) / 1_000);
  } finally {
    await jsm.streams.delete(STREAM);
    await Promise.all([writer.drain(), reader.drain()]);
  }
}
