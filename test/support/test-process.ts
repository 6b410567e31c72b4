import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { needDebianPackages, reason } from '../../scripts/debian-packages.mjs';
import { type Bridge, nodeBridge, socatBridge } from '../../src/agents/sandbox/network/bridge.ts';
import type {
  Grant,
  LiveProcess,
  NetworkGrant,
  OutputLine,
  ProcessEnd,
  ProcessSpec,
  Sandbox,
} from '../../src/agents/sandbox/sandbox.ts';

export const noBubblewrap: string | false = reason(needDebianPackages(['bubblewrap']));

/** Every bridge of this machine; socat is skipped where it is not installed. */
export const BRIDGES: readonly { name: Bridge['name']; skip: string | false; bridge(): Bridge }[] = [
  { name: 'socat', skip: reason(needDebianPackages(['socat'])), bridge: () => socatBridge() ?? nodeBridge() },
  { name: 'node', skip: false, bridge: nodeBridge },
];

export const NO_NETWORK: NetworkGrant = { level: 'NONE', hosts: [], loopbackPorts: [] };
export const NOTHING: Grant = { readPaths: [], writePaths: [], mounts: [], hiddenPaths: [], network: NO_NETWORK };
export const PLAIN_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin' };

/** The path of a folder in which sockets are bound: an address has 107 bytes at most. */
const SOCKET_FOLDER_CHARACTERS_MAX = 40;

/** A folder that goes with the test file, short enough for sockets, however long TMPDIR is. */
export function scratchFolder(): string {
  const parent = realpathSync(tmpdir()).length <= SOCKET_FOLDER_CHARACTERS_MAX ? tmpdir() : '/tmp';
  const folder = realpathSync(mkdtempSync(join(parent, 'baton-process-')));
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

export interface ProcessReport {
  readonly live: LiveProcess;
  readonly lines: OutputLine[];
  /** The lines of one stream, joined by line feeds. */
  text(stream?: OutputLine['stream']): string;
  /** Until a line of either stream fits. */
  until(pattern: RegExp): Promise<string>;
  end(): Promise<ProcessEnd>;
}

type WantedProcess = Partial<ProcessSpec> & Pick<ProcessSpec, 'argv'>;

/** Starts a process that may touch nothing unless told otherwise, and keeps what it says. */
export async function startProcess(sandbox: Sandbox, wanted: WantedProcess): Promise<ProcessReport> {
  const lines: OutputLine[] = [];
  const waiting = new Set<() => void>();
  const onLine = (line: OutputLine) => {
    lines.push(line);
    for (const look of waiting) look();
    return wanted.onLine?.(line);
  };
  const rest = { cwd: '/', env: PLAIN_ENV, stdin: '', grant: NOTHING, secrets: [] };
  const live = await sandbox.start({ ...rest, ...wanted, onLine });
  return {
    live,
    lines,
    text: (stream = 'stdout') =>
      lines
        .filter((line) => line.stream === stream)
        .map(({ text }) => text)
        .join('\n'),
    end: () => live.ended,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const line = lines.find(({ text }) => pattern.test(text));
          if (line) resolve(line.text);
        };
        waiting.add(look);
        look();
        const tooLate = () =>
          reject(new Error(`ended without ${pattern}: ${lines.map(({ text }) => text).join('\n')}`));
        live.ended.then(tooLate, reject);
      }),
  };
}

/** Runs a shell command to its end; what it said on both streams, and how it ended. */
export async function runShell(
  sandbox: Sandbox,
  command: string,
  wanted: Partial<ProcessSpec> = {},
): Promise<{ stdout: string; stderr: string; end: ProcessEnd }> {
  const told = await startProcess(sandbox, { argv: ['/bin/sh', '-c', command], ...wanted });
  const end = await told.end();
  return { stdout: told.text('stdout'), stderr: told.text('stderr'), end };
}
