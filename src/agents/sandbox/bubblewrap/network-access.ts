import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outside } from '../network/forward-proxy.ts';
import { ForwardProxy, PROXY_SOCKET, portSocket } from '../network/forward-proxy.ts';
import { bridgeCommand } from '../network/small-bridge.ts';
import type { NetworkGrant } from '../sandbox.ts';
import type { Mount } from './mount.ts';

/** What a network grant adds to a sandbox. */
export interface NetworkAccess {
  readonly isShared: boolean;
  readonly mounts: readonly Mount[];
  readonly variables: Readonly<Record<string, string>>;
  /** A command of the shell that opens the way out, and the words it takes. */
  readonly opening: { readonly command: string; readonly words: readonly string[] } | null;
  close(): Promise<void>;
}

const SHOWN_AT = '/run/baton';
const FIRST_PORT = 3_128;
/** A socket's path is short, by the system's rule. */
const FOLDER_CHARACTERS_MAX = 60;
/** The bridge runs with an environment of its own; its output ends when it is ready, and so does the wait. */
const OPEN_WAY = ': "$(env -i "$1" -e "$2" "$3" </dev/null 2>/dev/null &)"; shift 3';

export async function openNetwork(grant: NetworkGrant, outside: Outside): Promise<NetworkAccess> {
  const { level, hosts, loopbackPorts } = grant;
  const hasWayOut = level === 'RESTRICTED' && hosts.length + loopbackPorts.length > 0;
  if (!hasWayOut)
    return { isShared: level === 'FULL', mounts: [], variables: {}, opening: null, close: async () => {} };
  const folder = mkdtempSync(join(socketFolder(), `baton-net-${process.pid}-`));
  const proxy = new ForwardProxy(grant, outside);
  const close = async () => {
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await proxy.listen(folder, loopbackPorts);
  } catch (error) {
    await close();
    throw error;
  }
  // Where no host is granted nobody is sent to the proxy: Node alone takes longer to start for being told of one.
  const proxyPort = hosts.length === 0 ? null : freePort(loopbackPorts);
  return {
    isShared: false,
    mounts: [{ kind: 'read', from: folder, at: SHOWN_AT }],
    variables: proxyPort === null ? {} : proxyVariables(`http://127.0.0.1:${proxyPort}`),
    opening: { command: OPEN_WAY, words: [...bridgeCommand(), ways(proxyPort, loopbackPorts)] },
    close,
  };
}

function socketFolder(): string {
  return tmpdir().length <= FOLDER_CHARACTERS_MAX ? tmpdir() : '/tmp';
}

/** The sandbox has ports of its own: any that is not to be passed through will do. */
function freePort(taken: readonly number[]): number {
  let port = FIRST_PORT;
  while (taken.includes(port)) port += 1;
  return port;
}

function ways(proxyPort: number | null, loopbackPorts: readonly number[]): string {
  const proxy = proxyPort === null ? [] : [`${proxyPort}=${SHOWN_AT}/${PROXY_SOCKET}`];
  return [...proxy, ...loopbackPorts.map((port) => `${port}=${SHOWN_AT}/${portSocket(port)}`)].join(',');
}

/** Programs look for it under either spelling; Node only when told to. */
function proxyVariables(url: string): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];
  const both = names.flatMap((name) => [name, name.toLowerCase()]);
  return { ...Object.fromEntries(both.map((name) => [name, url])), NODE_USE_ENV_PROXY: '1' };
}
