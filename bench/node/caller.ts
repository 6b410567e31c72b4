import { Agent, request } from 'node:http';

export interface Caller {
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Record<string, never>>;
  close(): void;
}

/** A program that talks to a node over so many connections, each kept open. */
export function makeCaller({ url, token }: { url: string; token: string }, connections: number): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);
  const post: Caller['post'] = (path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body);
      const all = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        ...headers,
      };
      const sent = request({ agent, hostname, port, path, method: 'POST', headers: all }, (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          answer += part;
        });
        response.on('end', () => {
          if ((response.statusCode ?? 500) >= 300) reject(new Error(`${path}: ${response.statusCode} ${answer}`));
          else resolve(JSON.parse(answer) as Record<string, never>);
        });
      });
      sent.on('error', reject).end(text);
    });
  return { post, close: () => agent.destroy() };
}
