/** The network word of an address: `api.example.com`, or with its port where that is not the usual one. */
export function hostOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { hostname, port, protocol } = new URL(address);
  const usual = protocol === 'http:' ? '80' : '443';
  // A loopback word needs its port.
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return port === '' && !isLoopback ? hostname : `${hostname}:${port || usual}`;
}
