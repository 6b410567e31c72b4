import type { RunChannel } from '../domain/task/channel.ts';
import { Port } from '../platform/port.ts';
import type { Receive } from './receive.ts';

/** The messages that agents print. One that is printed before the receiver of the node is connected waits for it. */
export class PrintedMessages {
  readonly #receiver = new Port<Receive>();

  connect(receive: Receive): void {
    this.#receiver.connect(receive);
  }

  /** Resolves with verdict, code and reason of a message that was not accepted, else with null. */
  readonly receive = async (text: string, channel: RunChannel): Promise<string | null> => {
    const receive = await this.#receiver.wait();
    const { verdict, code, errors } = await receive(text, channel);
    return verdict === 'accepted' ? null : `${verdict}, ${code}: ${errors[0]?.message ?? 'no message'}`;
  };
}
