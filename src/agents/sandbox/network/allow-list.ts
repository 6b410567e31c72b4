import { BlockList, isIPv4 } from 'node:net';

const NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;
const USUAL_PORTS = [80, 443];
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

export type Permission =
  /** A listed name: it may be resolved, and reached at public addresses only. */
  | { readonly kind: 'name' }
  /** A listed port of this machine. */
  | { readonly kind: 'loopback' }
  | { readonly kind: 'refused' };

interface Rule {
  readonly name: string;
  readonly isSuffix: boolean;
  readonly ports: readonly number[];
}

/** The hosts a process may reach: names exactly or by `*.suffix`, never addresses. */
export class AllowList {
  readonly #rules: readonly Rule[];
  readonly #loopbackPorts: readonly number[];

  constructor(hosts: readonly string[], loopbackPorts: readonly number[]) {
    this.#rules = hosts.flatMap((host) => readRule(host) ?? []);
    this.#loopbackPorts = loopbackPorts;
  }

  judge({ host, port }: HostPort): Permission {
    if (LOOPBACK.includes(host)) return { kind: this.#loopbackPorts.includes(port) ? 'loopback' : 'refused' };
    // A name does not end in a number, so every notation of an address is refused.
    if (!NAME.test(host) || /(^|\.)(\d+|0x[\da-f]*)$/.test(host)) return { kind: 'refused' };
    const isListed = this.#rules.some((rule) => rule.ports.includes(port) && fits(host, rule));
    return { kind: isListed ? 'name' : 'refused' };
  }
}

/** Reads `name:port` or `[::1]:port`; null for anything else. */
export function readTarget(authority: string, defaultPort: number | null): HostPort | null {
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

/** `*.example.com` matches every name below example.com, not example.com itself. */
function fits(host: string, { name, isSuffix }: Rule): boolean {
  return isSuffix ? host.endsWith(`.${name}`) : host === name;
}

/** Addresses of this machine, of private networks, and reserved ones: no public name may lead there. */
const CLOSED_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
];
/** Global unicast, except ranges that embed an IPv4 address or are reserved for examples. */
const OPEN_V6 = '2000::/3';
const CLOSED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const closedV4 = blockList(CLOSED_V4, 'ipv4');
const openV6 = blockList([OPEN_V6], 'ipv6');
const closedV6 = blockList(CLOSED_V6, 'ipv6');

export function isOpenAddress(address: string): boolean {
  if (isIPv4(address)) return !closedV4.check(address, 'ipv4');
  return openV6.check(address, 'ipv6') && !closedV6.check(address, 'ipv6');
}

function blockList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}
