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

export function namesOf(federation: string): NatsNames {
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

/** With the name by which the broker recognizes a repetition, or without one. */
export function headersOf({ epoch, seq, prev, fences, recordedAt, seal }: Frame, id: string | null): MsgHdrs {
  const made = headers();
  if (id !== null) made.set(MESSAGE_ID, id);
  made.set('Baton-Epoch', epoch);
  made.set('Baton-Seq', String(seq));
  made.set('Baton-Prev', String(prev));
  if (fences !== '') made.set('Baton-Fences', fences);
  made.set('Baton-At', String(recordedAt));
  made.set('Baton-Seal', seal);
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
  const text = (name: string) => given?.get(name) ?? '';
  const number = (name: string) => (/^\d{1,16}$/.test(text(name)) ? Number(text(name)) : 0);
  return {
    source: parts.at(-2) ?? '',
    dest: parts.at(-1) ?? '',
    epoch: text('Baton-Epoch'),
    seq: number('Baton-Seq'),
    prev: number('Baton-Prev'),
    fences: text('Baton-Fences'),
    recordedAt: number('Baton-At'),
    seal: text('Baton-Seal'),
    envelope: new TextDecoder().decode(data),
  };
}

export function headOf(message: StoredMessage): Head {
  const { epoch, seq } = frameOf(message);
  return { epoch, seq };
}
