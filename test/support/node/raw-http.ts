import { connect, type Socket } from 'node:net';
import { inTime } from '../in-time.ts';

/** Bytes as they are, and all that comes back until the other side closes: for what no client would send. */
export function rawExchange(port: number, request: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      answer += text;
    });
    // A connection that is cut has answered too.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(answer));
    socket.write(request);
  });
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}

export function requestText(line: string, headers: readonly string[], body = ''): string {
  return `${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`;
}

/** A connection that stays: what comes is kept until it is asked for. */
export class RawStream {
  readonly socket: Socket;
  text = '';
  isClosed = false;
  #changed: () => void = () => {};

  constructor(port: number, request: string) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('utf8');
    this.socket.on('data', (text) => {
      this.text += text;
      this.#changed();
    });
    this.socket.on('error', () => this.socket.destroy());
    this.socket.on('close', () => {
      this.isClosed = true;
      this.#changed();
    });
    this.socket.write(request);
  }

  /** Fails where nothing at all comes for long. */
  async until(isThere: (text: string) => boolean): Promise<string> {
    while (!isThere(this.text) && !this.isClosed) {
      const change = new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
      await inTime(change, `more, or the end, after ${JSON.stringify(this.text.slice(-200))}`).catch((error) => {
        this.socket.destroy();
        throw error;
      });
    }
    return this.text;
  }

  async closed(): Promise<string> {
    return await this.until(() => false);
  }
}
