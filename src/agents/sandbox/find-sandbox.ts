import { existsSync } from 'node:fs';
import { executeCommand } from '../process/execute-command.ts';
import { BubblewrapSandbox } from './bubblewrap/bubblewrap-sandbox.ts';
import type { Sandbox } from './sandbox.ts';

export interface MissingSandbox {
  readonly kind: 'missing';
  readonly reason: string;
  /** It is there, and does not work on this system. */
  readonly isInstalled: boolean;
}

/** Paths at which systems install bubblewrap; a PATH may name folders that others write to. */
const BUBBLEWRAP_PATHS = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap', '/run/current-system/sw/bin/bwrap'];
const TRIAL_MS_MAX = 30_000;

/** Finds a sandbox and runs a trial in it: a system may forbid an installed bubblewrap to work. */
export async function findSandbox(paths: readonly string[] = BUBBLEWRAP_PATHS): Promise<Sandbox | MissingSandbox> {
  if (process.platform !== 'linux') return missing(`bubblewrap runs on Linux only, and this is ${process.platform}`);
  const program = paths.find((path) => existsSync(path));
  if (program === undefined) return missing('bubblewrap is not installed (Debian: apt-get install bubblewrap)');
  const sandbox = new BubblewrapSandbox(program);
  const trial = await executeCommand(sandbox, {
    argv: ['/bin/sh', '-c', 'exit 0'],
    cwd: '/',
    env: {},
    grant: {
      readPaths: [],
      writePaths: [],
      mounts: [],
      hiddenPaths: [],
      network: { level: 'NONE', hosts: [], loopbackPorts: [] },
    },
    timeoutMs: TRIAL_MS_MAX,
  });
  if (trial.kind === 'could-not-run') return missing(trial.reason, true);
  return trial.exitCode === 0
    ? sandbox
    : missing(`a trial of bubblewrap ended with ${trial.exitCode ?? trial.signal}: ${trial.stderrTail.trim()}`, true);
}

function missing(reason: string, isInstalled = false): MissingSandbox {
  return { kind: 'missing', reason, isInstalled };
}
