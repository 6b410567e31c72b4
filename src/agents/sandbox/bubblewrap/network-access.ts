import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROCESS_START_MS_MAX } from '../../../domain/process-limits.ts';
import { systemClock } from '../../../platform/clock.ts';
import { processStart } from '../../../platform/process/process-start.ts';
import type { Timer } from '../../../platform/timer.ts';
import type { Bridge, BridgeRoute } from '../network/bridge.ts';
import {
  ForwardProxy,
  type NetworkListener,
  type Outside,
  PROXY_SOCKET,
  portSocket,
} from '../network/forward-proxy.ts';
import type { NetworkGrant } from '../sandbox.ts';
import type { Mount } from './mount.ts';

/** The additions of a network grant to a sandbox. */
export interface NetworkAccess {
  readonly isShared: boolean;
  readonly mounts: readonly Mount[];
  readonly variables: Readonly<Record<string, string>>;
  /** Command lines of the bridge, to be run inside before the program. */
  readonly bridgeCommands: readonly (readonly string[])[];
  /** Loopback ports that the bridge opens. */
  readonly ports: readonly number[];
  close(): Promise<void>;
}

export interface NetworkParts extends NetworkListener {
  /** Connects a restricted network to the hosts it names. */
  readonly outside: Outside;
  readonly bridge: Bridge;
}

const FOLDER_PREFIX = 'baton-net-';
const SHOWN_AT = '/run/baton';
const FIRST_PORT = 3_128;
/** The system bounds the path of a socket. */
const FOLDER_CHARACTERS_MAX = 60;

/** Removes the socket folders of this user that killed nodes left behind: no process has the pid in their names. */
export function removeDeadSockets(): void {
  const parent = socketFolder();
  for (const name of readdirSync(parent)) {
    const pid = /^baton-net-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || processStart(Number(pid)) !== null) continue;
    const folder = join(parent, name);
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    const isOurs = stat?.isDirectory() === true && stat.uid === (process.getuid?.() ?? stat.uid);
    if (isOurs) rmSync(folder, { recursive: true, force: true });
  }
}

export async function openNetwork(
  grant: NetworkGrant,
  { outside, bridge, ...hears }: NetworkParts,
): Promise<NetworkAccess> {
  const { level, hosts } = grant;
  // The configuration and the order may name the same port.
  const loopbackPorts = [...new Set(grant.loopbackPorts)];
  const hasWayOut = level === 'RESTRICTED' && hosts.length + loopbackPorts.length > 0;
  if (!hasWayOut) return noBridge(level === 'FULL');
  const folder = mkdtempSync(join(socketFolder(), `${FOLDER_PREFIX}${process.pid}-`));
  const proxy = new ForwardProxy(grant, outside, hears);
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
  // Proxy variables are set only where a host is granted: Node takes longer to start with them.
  const proxyPort = hosts.length === 0 ? null : freePort(loopbackPorts);
  const routes = routesOf(proxyPort, loopbackPorts);
  return {
    isShared: false,
    mounts: [{ from: folder, at: SHOWN_AT }, ...bridge.mounts].map((shown) => ({ kind: 'read', ...shown })),
    variables: proxyPort === null ? {} : proxyVariables(`http://127.0.0.1:${proxyPort}`),
    bridgeCommands: bridge.commands(routes),
    ports: routes.map(({ port }) => port),
    close,
  };
}

function noBridge(isShared: boolean): NetworkAccess {
  return { isShared, mounts: [], variables: {}, bridgeCommands: [], ports: [], close: async () => {} };
}

const POLL_MS = 1;
const LISTENING = '0A';
/** However the sockets are counted, the table is read this often. */
const TURNS_PER_TABLE = 50;

/**
 * Waits until every port is open in the network of a process, as the system's table of sockets shows it. The first port
 * that did not open in time, or null.
 */
export async function awaitPorts(pid: number, ports: readonly number[], timer: Timer): Promise<number | null> {
  const clock = systemClock();
  const untilMs = clock.now().monotonicMs + PROCESS_START_MS_MAX;
  let closed = ports;
  for (let turn = 1; closed.length > 0 && clock.now().monotonicMs < untilMs; turn += 1) {
    // For the table the kernel goes through the sockets of the whole machine: milliseconds. It is read when it can have all.
    const mayBeOpen = turn % TURNS_PER_TABLE === 0 || countSockets(pid) >= ports.length;
    const open = mayBeOpen ? openPorts(pid) : [];
    if (open === null) break;
    closed = ports.filter((port) => !open.includes(port));
    if (closed.length > 0) await timer.pause(POLL_MS);
  }
  return closed[0] ?? null;
}

/** The TCP sockets in the network of a process; infinite where the system does not count them. */
function countSockets(pid: number): number {
  const count = /^TCP: inuse (\d+)/m.exec(readProc(pid, 'sockstat') ?? '')?.[1];
  return count === undefined ? Number.POSITIVE_INFINITY : Number(count);
}

/** Null where the process has ended. */
function openPorts(pid: number): number[] | null {
  const table = readProc(pid, 'tcp');
  if (table === null) return null;
  return table.split('\n').flatMap((line) => {
    const [, local, , state] = line.trim().split(/\s+/);
    return state === LISTENING ? [Number.parseInt(local?.slice(local.indexOf(':') + 1) ?? '', 16)] : [];
  });
}

function readProc(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/net/${name}`, 'latin1');
  } catch {
    // No such process any more.
    return null;
  }
}

function socketFolder(): string {
  return tmpdir().length <= FOLDER_CHARACTERS_MAX ? tmpdir() : '/tmp';
}

/** Any port but the granted ones: a sandbox has a loopback of its own. */
function freePort(taken: readonly number[]): number {
  let port = FIRST_PORT;
  while (taken.includes(port)) port += 1;
  return port;
}

function routesOf(proxyPort: number | null, loopbackPorts: readonly number[]): BridgeRoute[] {
  const proxy = proxyPort === null ? [] : [{ port: proxyPort, socket: `${SHOWN_AT}/${PROXY_SOCKET}` }];
  return [...proxy, ...loopbackPorts.map((port) => ({ port, socket: `${SHOWN_AT}/${portSocket(port)}` }))];
}

/** Programs read either spelling; Node only with NODE_USE_ENV_PROXY. */
function proxyVariables(url: string): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];
  const both = names.flatMap((name) => [name, name.toLowerCase()]);
  return { ...Object.fromEntries(both.map((name) => [name, url])), NODE_USE_ENV_PROXY: '1' };
}
