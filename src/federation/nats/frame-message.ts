import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Frame, Head } from '../transport.ts';

/** The names of streams, subjects and buckets of one federation. */
export interface NatsNames {
  /** The subject of frames from one node to another. */
  frame(source: string, dest: string): string;
  /** All frames of an outbox. */
  outbox(source: string): string;
  stream(source: string): string;
  readonly control: string;
  readonly blobs: string;
}

export function natsNames(federation: string): NatsNames {
  return {
    frame: (source, dest) => `${federation}.out.${source}.${dest}`,
    outbox: (source) => `${federation}.out.${source}.*`,
    stream: (source) => `${federation}_out_${source}`,
    control: `${federation}_control`,
    blobs: `${federation}_blobs`,
  };
}

/** The name by which the broker recognizes a frame that it has already. */
export function messageId({ epoch, seq, dest }: Frame): string {
  return `${epoch}/${seq}/${dest}`;
}

const MESSAGE_ID = 'Nats-Msg-Id';
const FRAME = 'Baton-Frame';

/** One header has all of a frame beside its envelope: each header costs as much as the rest of a small message. */
export function headersOf({ epoch, seq, prev, recordedAt, seal, fences }: Frame, id: string | null): MsgHdrs {
  const made = headers();
  // The name by which the broker recognizes a repetition.
  if (id !== null) made.set(MESSAGE_ID, id);
  made.set(FRAME, [epoch, seq, prev, recordedAt, seal, fences].join(' ').trimEnd());
  return made;
}

export interface StoredMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers?: MsgHdrs | undefined;
}

/** A message of the broker as a frame. Anybody may have written it: numbers that are none read as 0, and texts that are missing as empty. */
export function frameOf({ subject, data, headers: given }: StoredMessage): Frame {
  const parts = subject.split('.');
  const [epoch = '', seq = '', prev = '', recordedAt = '', seal = '', fences = ''] = given?.get(FRAME).split(' ') ?? [];
  return {
    source: parts.at(-2) ?? '',
    dest: parts.at(-1) ?? '',
    epoch,
    seq: numberOf(seq),
    prev: numberOf(prev),
    fences,
    recordedAt: numberOf(recordedAt),
    seal,
    envelope: new TextDecoder().decode(data),
  };
}

function numberOf(text: string): number {
  return /^\d{1,16}$/.test(text) ? Number(text) : 0;
}

export function headOf(message: StoredMessage): Head {
  const { epoch, seq } = frameOf(message);
  return { epoch, seq };
}
