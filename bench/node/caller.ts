import { connect, type Socket } from 'node:net';

export interface Caller {
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Record<string, never>>;
  close(): void;
}

interface Waiting {
  readonly path: string;
  readonly request: string;
  resolve(answer: Record<string, never>): void;
  reject(error: Error): void;
}

const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)\r\n/i;
const STATUS_AT = 'HTTP/1.1 '.length;

/**
 * A program that talks to a node over so many connections, each kept open and with one request under way at a time. On
 * bare sockets: on a machine with few cores, what the caller spends is missing to the node.
 */
export function makeCaller({ url, token }: { url: string; token: string }, connections: number): Caller {
  const { hostname, port, host } = new URL(url);
  const always = `host: ${host}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`;
  const waiting: Waiting[] = [];
  const idle: Line[] = [];
  const all: Line[] = [];
  const release = (line: Line): void => {
    const next = waiting.shift();
    if (next) line.send(next);
    else idle.push(line);
  };
  const open = (): Line | null => {
    if (all.length === connections) return null;
    const line = new Line(connect(Number(port), hostname), release);
    all.push(line);
    return line;
  };
  const post: Caller['post'] = (path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body);
      let head = `POST ${path} HTTP/1.1\r\n${always}content-length: ${Buffer.byteLength(text)}\r\n`;
      for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
      const call = { path, request: `${head}\r\n${text}`, resolve, reject };
      const line = idle.pop() ?? open();
      if (line) line.send(call);
      else waiting.push(call);
    });
  const close = () => {
    for (const line of all) line.close();
  };
  return { post, close };
}

/** One connection. */
class Line {
  readonly #socket: Socket;
  readonly #release: (line: Line) => void;
  #call: Waiting | null = null;
  #heard = '';

  constructor(socket: Socket, release: (line: Line) => void) {
    this.#socket = socket;
    this.#release = release;
    // Latin-1 keeps one character a byte: lengths are told in bytes.
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (part: string) => this.#hear(part));
    socket.on('error', (error) => this.#call?.reject(error));
    socket.on('close', () => this.#call?.reject(new Error('the node closed the connection')));
  }

  send(call: Waiting): void {
    this.#call = call;
    this.#socket.write(call.request);
  }

  close(): void {
    this.#call = null;
    this.#socket.destroy();
  }

  #hear(part: string): void {
    this.#heard += part;
    const headEnd = this.#heard.indexOf(HEAD_END);
    if (headEnd === -1 || this.#call === null) return;
    const bodyAt = headEnd + HEAD_END.length;
    const length = CONTENT_LENGTH.exec(this.#heard.slice(0, headEnd + 2))?.[1];
    if (length === undefined) throw new Error(`an answer without a length: ${this.#heard.slice(0, bodyAt)}`);
    if (this.#heard.length < bodyAt + Number(length)) return;
    this.#answer(this.#call, Number(this.#heard.slice(STATUS_AT, STATUS_AT + 3)), this.#heard.slice(bodyAt));
  }

  #answer({ path, resolve, reject }: Waiting, status: number, body: string): void {
    this.#call = null;
    this.#heard = '';
    this.#release(this);
    const text = Buffer.from(body, 'latin1').toString();
    if (status >= 300) reject(new Error(`${path}: ${status} ${text}`));
    else resolve(JSON.parse(text) as Record<string, never>);
  }
}
