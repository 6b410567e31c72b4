import type { Grant } from '../../sandbox/sandbox.ts';

/** Whether a grant shuts a host off from an agent whose own hosts are these. */
export function isShut(host: string, { network }: Grant, own: readonly string[]): boolean {
  const { level, hosts, loopbackPorts } = network;
  const allowed = [...own, ...hosts, ...loopbackPorts.map((port) => `127.0.0.1:${port}`)];
  return level === 'RESTRICTED' && !allowed.includes(host);
}

/** The network word of an address: `api.example.com`, or with its port where that is not the usual one. */
export function hostOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { hostname, port, protocol } = new URL(address);
  const usual = protocol === 'http:' ? '80' : '443';
  // A loopback word needs its port.
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return port === '' && !isLoopback ? hostname : `${hostname}:${port || usual}`;
}
