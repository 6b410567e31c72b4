import type { IncomingMessage, RequestOptions } from 'node:http';

/** Where a node is, as node.json tells it. */
export interface NodeAddress {
  readonly url: string;
  readonly token: string;
  /** Of the certificate it shows, where it speaks TLS. Without it the authorities that this machine trusts decide. */
  readonly certSha256?: string | undefined;
}

export interface NodeRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The beginning of what a node answers. What goes wrong on the way is thrown as it is. */
export function requestNode(address: NodeAddress, request: NodeRequest): Promise<IncomingMessage> {
  const { method, path, headers, body, signal } = request;
  const url = new URL(`${address.url}${path}`);
  const { certSha256 } = address;
  const options = {
    method,
    headers: { ...headers, authorization: `Bearer ${address.token}` },
    ...(signal && { signal }),
    ...(certSha256 && url.protocol === 'https:' && { createConnection: pinned(url, { certSha256, signal }) }),
  };
  return new Promise((resolve, reject) => {
    requestOf(url)(url, options, resolve).on('error', reject).end(body);
  });
}

/**
 * Neither fetch nor an import of node:http: both load fetch, since an import reads every name that the module exports,
 * and that alone takes longer than a short command may take.
 */
function requestOf({ protocol }: URL): typeof import('node:http').request {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http').request;
}

interface Pin {
  readonly certSha256: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * The token leaves after the node has shown that it has the key of the very certificate that node.json names. Who made
 * that certificate, for which name and for how long is nothing to a program that was told so by the node's own user.
 */
function pinned(url: URL, { certSha256, signal }: Pin): NonNullable<RequestOptions['createConnection']> {
  return (_options, done) => {
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = Number(url.port || 443);
    const socket = process.getBuiltinModule('node:tls').connect({ host, port, rejectUnauthorized: false });
    const giveUp = () => socket.destroy(signal?.reason as Error);
    const fail = (error: Error) => done(error, socket);
    signal?.addEventListener('abort', giveUp, { once: true });
    socket.once('error', fail).once('secureConnect', () => {
      if (socket.getPeerX509Certificate()?.fingerprint256 !== certSha256) {
        socket.destroy(new Error(`${url.host} does not show the certificate of the node`));
        return;
      }
      signal?.removeEventListener('abort', giveUp);
      socket.off('error', fail);
      done(null, socket);
    });
    return undefined;
  };
}
