const NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;
const USUAL_PORTS = [80, 443];
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

export interface Target {
  readonly host: string;
  readonly port: number;
}

export type Permission =
  /** A name of the list: to be resolved, and only where it leads into the open. */
  | { readonly kind: 'name' }
  /** A port of this machine that the list names. */
  | { readonly kind: 'loopback' }
  | { readonly kind: 'refused' };

interface Rule {
  readonly name: string;
  readonly isSuffix: boolean;
  readonly ports: readonly number[];
}

/** Which hosts a process may reach: names exactly or by `*.suffix`, never addresses. */
export class AllowList {
  readonly #rules: readonly Rule[];
  readonly #loopbackPorts: readonly number[];

  constructor(hosts: readonly string[], loopbackPorts: readonly number[]) {
    this.#rules = hosts.flatMap((host) => readRule(host) ?? []);
    this.#loopbackPorts = loopbackPorts;
  }

  judge({ host, port }: Target): Permission {
    if (LOOPBACK.includes(host)) return { kind: this.#loopbackPorts.includes(port) ? 'loopback' : 'refused' };
    // Only what reads as a name is one: every form of an address falls through, for a name does not end in a number.
    if (!NAME.test(host) || /(^|\.)(\d+|0x[\da-f]*)$/.test(host)) return { kind: 'refused' };
    const isListed = this.#rules.some((rule) => rule.ports.includes(port) && fits(host, rule));
    return { kind: isListed ? 'name' : 'refused' };
  }
}

/** As it stands in an address: `name:port`, `[::1]:port`. Null where it is neither. */
export function readTarget(authority: string, defaultPort: number | null): Target | null {
  const parts = /^(?:\[([\da-f:.]+)\]|([^:[\]@/\s]+))(?::(\d{1,5}))?$/i.exec(authority);
  const port = parts?.[3] === undefined ? defaultPort : Number(parts[3]);
  const host = parts?.[1] ?? parts?.[2];
  if (host === undefined || port === null || port < 1 || port > 65_535) return null;
  return { host: host.toLowerCase().replace(/\.$/, ''), port };
}

function readRule(text: string): Rule | null {
  const target = readTarget(text.replace(/^\*\./, ''), 0) ?? readTarget(text.replace(/^\*\./, ''), 443);
  if (!target || !NAME.test(target.host)) return null;
  const isSuffix = text.startsWith('*.');
  const hasPort = /:\d+$/.test(text);
  return { name: target.host, isSuffix, ports: hasPort ? [target.port] : USUAL_PORTS };
}

/** `*.example.com` is everything below it, not itself. */
function fits(host: string, { name, isSuffix }: Rule): boolean {
  return isSuffix ? host.endsWith(`.${name}`) : host === name;
}
