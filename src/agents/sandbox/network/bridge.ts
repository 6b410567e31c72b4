import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROXY_CONNECTIONS_MAX, PROXY_HALF_OPEN_SECONDS_MAX } from '../../../domain/process-limits.ts';

/** Connections to a loopback port of the sandbox go to a unix socket of the host. */
export interface BridgeRoute {
  readonly port: number;
  readonly socket: string;
}

/** The program inside a sandbox that serves its routes. A sandbox has its own loopback; unix sockets can be mounted. */
export interface Bridge {
  readonly name: 'socat' | 'node';
  /** Files it needs beside the system's own and the Node in use, and the paths at which it expects them. */
  readonly mounts: readonly { readonly from: string; readonly at: string }[];
  /** One command line a process. Each process keeps listening until the sandbox ends. */
  commands(routes: readonly BridgeRoute[]): readonly (readonly string[])[];
}

/** Folders in which systems install programs; a PATH may name folders that others write to. */
const SOCAT_PATHS = ['/usr/bin/socat', '/usr/local/bin/socat', '/bin/socat', '/run/current-system/sw/bin/socat'];
const COPY_BYTES = 65_536;

let found: Bridge | null = null;

/** Socat where it is installed: it starts in 5 ms and takes 2 MB, Node takes 35 ms and 45 MB. */
export function findBridge(): Bridge {
  found ??= socatBridge() ?? nodeBridge();
  return found;
}

export function socatBridge(paths: readonly string[] = SOCAT_PATHS): Bridge | null {
  const installed = paths.find((path) => existsSync(path));
  if (installed === undefined) return null;
  // By its real path, which lies in a folder that every sandbox shows.
  const program = realpathSync(installed);
  const listen = `bind=127.0.0.1,reuseaddr,fork,max-children=${PROXY_CONNECTIONS_MAX},backlog=128`;
  const options = ['-t', String(PROXY_HALF_OPEN_SECONDS_MAX), '-b', String(COPY_BYTES)];
  return {
    name: 'socat',
    mounts: [],
    commands: (routes) =>
      routes.map(({ port, socket }) => [
        program,
        ...options,
        `TCP4-LISTEN:${port},${listen}`,
        `UNIX-CONNECT:${socket}`,
      ]),
  };
}

export function nodeBridge(): Bridge {
  const file = bridgeFile();
  // Mounted elsewhere: at its own path it would be read-only in a workspace that holds Baton's source.
  const at = `/run/baton-bridge${file.endsWith('.ts') ? '.ts' : '.js'}`;
  return {
    name: 'node',
    mounts: [{ from: file, at }],
    commands: (routes) => [[process.execPath, at, ...routes.map(({ port, socket }) => `${port}=${socket}`)]],
  };
}

/** Beside this file in the source; a file of its own in the bundle. */
function bridgeFile(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const files = [join(here, 'bridge-program.ts'), join(here, 'network-bridge.js'), join(here, '../network-bridge.js')];
  const file = files.find((path) => existsSync(path));
  if (file === undefined)
    throw new Error(`Baton's network bridge is missing: there is no network-bridge.js at ${here}`);
  return realpathSync(file);
}
