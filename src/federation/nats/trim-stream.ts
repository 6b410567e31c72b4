import type { Head } from '../transport.ts';
import { headOf } from './frame-message.ts';
import { isMissing, type NatsLink, streamInfo } from './nats-link.ts';

/** Removes messages up to a head from a stream whose heads grow. The last message stays: it tells the end of the outbox. */
export async function trimStream(link: NatsLink, stream: string, upTo: Head): Promise<void> {
  const info = await streamInfo(link, stream);
  if (!info || info.state.messages === 0) return;
  let low = info.state.first_seq;
  let high = info.state.last_seq;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isDone(link, { stream, number: middle }, upTo)) low = middle + 1;
    else high = middle;
  }
  await link.jsm.streams.purge(stream, { seq: low });
}

/** Whether a message is of an earlier epoch, or at or before the head. One that was removed counts as such. */
async function isDone(
  { jsm }: NatsLink,
  { stream, number }: { readonly stream: string; readonly number: number },
  upTo: Head,
): Promise<boolean> {
  try {
    const found = await jsm.streams.getMessage(stream, { seq: number });
    if (!found) return true;
    const { epoch, seq } = headOf({ subject: found.subject, data: found.data, headers: found.header });
    return epoch < upTo.epoch || (epoch === upTo.epoch && seq <= upTo.seq);
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
}
