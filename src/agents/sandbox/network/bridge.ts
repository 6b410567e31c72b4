import type * as Fs from 'node:fs';
import type * as Net from 'node:net';

/**
 * Runs inside the sandbox as a program of its own: what connects to a port there goes through to a socket that the
 * sandbox shows. Its text is handed to Node, so it knows nothing outside of itself.
 */
function bridge(): void {
  const { connect, createServer } = process.getBuiltinModule('node:net') as typeof Net;
  const { closeSync, openSync } = process.getBuiltinModule('node:fs') as typeof Fs;
  const ways = (process.argv[1] ?? '').split(',').map((way) => way.split('='));
  let waiting = ways.length;
  const ready = () => {
    waiting -= 1;
    if (waiting > 0) return;
    // Whoever waits for the end of this output knows by it that the ports are open. Its number must not be free.
    closeSync(1);
    openSync('/dev/null', 'r');
  };
  for (const [port, socket = ''] of ways) {
    const server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect({ path: socket, allowHalfOpen: true });
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        from.on('error', () => to.destroy());
        from.on('close', () => void (from.readableEnded || to.destroy()));
        from.pipe(to);
      }
    });
    server.on('error', ready);
    server.listen({ host: '127.0.0.1', port: Number(port) }, ready);
  }
}

export const BRIDGE_PROGRAM = `(${bridge.toString()})()`;
