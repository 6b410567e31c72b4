import { connect, createServer } from 'node:net';

/**
 * The bridge for machines without socat: a program of its own that runs inside the sandbox. Each argument is
 * `port=path`; connections to that loopback port are passed to the unix socket at that path.
 */
for (const [port, path = ''] of process.argv.slice(2).map((route) => route.split('='))) {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ path, allowHalfOpen: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => to.destroy());
      // After a regular end, bytes already read still reach the other side.
      from.on('close', () => void (from.readableEnded || to.destroy()));
      from.pipe(to);
    }
  });
  server.listen({ host: '127.0.0.1', port: Number(port) });
}
