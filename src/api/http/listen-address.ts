import { BlockList, isIP } from 'node:net';
import { type Refusal, refuse } from '../../domain/refusal.ts';

/** The address of an HTTP server. */
export interface ListenPlace {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Further host names of this node, where it is not on loopback. */
  readonly names?: readonly string[];
}

export interface ListenRequest extends ListenPlace {
  readonly token: string;
}

/** A shorter one can be guessed. */
const TOKEN_CHARACTERS_MIN = 32;
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Refuses an address that other machines can reach, unless it has TLS, and a weak token. */
export function refuseAddress({ host, tls, token }: ListenRequest): Refusal | null {
  if (token.length < TOKEN_CHARACTERS_MIN || /[^\x21-\x7e]/.test(token)) {
    return refuse('invalid_argument', `the token needs ${TOKEN_CHARACTERS_MIN} printable characters or more`, '/token');
  }
  if (isLoopback(host) || (tls !== undefined && tls.key !== '' && tls.cert !== '')) return null;
  return refuse(
    'invalid_argument',
    `${host} can be reached by other machines: give a TLS key and certificate`,
    '/host',
  );
}

export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const family = isIP(host);
  return family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** The address to bind: a name could be made to resolve to another one. */
export function bindAddress(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/** Every Host header of this node. A wildcard address is not one. */
export function hostHeadersOf({ host, names = [], tls }: ListenRequest, port: number): Set<string> {
  const bound = host === '0.0.0.0' || host === '::' || host === 'localhost' ? [] : [host];
  const all = ['127.0.0.1', 'localhost', '::1', ...bound, ...names];
  const isUsual = port === (tls ? 443 : 80);
  return new Set(all.map((name) => (isUsual ? inUrl(name) : `${inUrl(name)}:${port}`)));
}

/** The host by which programs of this machine reach it. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return inUrl(host === '::' ? '::1' : bindAddress(host));
}

function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
