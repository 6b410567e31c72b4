import { spawnSync } from 'node:child_process';
import type { MissingSandbox } from '../../agents/sandbox/find-sandbox.ts';
import { findBridge } from '../../agents/sandbox/network/bridge.ts';
import type { Sandbox } from '../../agents/sandbox/sandbox.ts';
import { NODE_MAJOR_MIN } from '../../domain/limits.ts';
import { trySandbox } from '../../node/agents/try-sandbox.ts';
import { findProgram } from '../../platform/process/find-program.ts';
import { type DoctorFinding, note, well, wrong } from './doctor-finding.ts';

const TOOL_MS_MAX = 3_000;
const ALLOW_NAMESPACES =
  'bubblewrap needs user namespaces: allow them in the kernel (Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0) or the container';

/** The Node, SQLite, git and sandbox of this machine. */
export async function machineFindings(): Promise<readonly DoctorFinding[]> {
  return [nodeFinding(process.versions.node), sqliteFinding(), gitFinding(), sandboxFinding(await trySandbox())];
}

function nodeFinding(version: string): DoctorFinding {
  if (Number.parseInt(version, 10) >= NODE_MAJOR_MIN) return well('Node', version);
  return wrong('Node', `${version} is too old`, `use Node ${NODE_MAJOR_MIN} or newer; npm brings one with Baton`);
}

function sqliteFinding(): DoctorFinding {
  return well('SQLite', process.versions['sqlite'] ?? 'built into Node');
}

function gitFinding(): DoctorFinding {
  const version = versionOf('git');
  if (version === null) return note('git', 'is not installed: without it work cannot be undone', 'install git');
  return well('git', version);
}

/**
 * The sandbox confines agents to their folder; its bridge connects them to the node and to granted hosts. It is tried, as a
 * run tries it: a system may forbid an installed bubblewrap to work.
 */
export function sandboxFinding(trial: Sandbox | MissingSandbox): DoctorFinding {
  if (!('kind' in trial)) {
    return well('sandbox', `${versionOf('bwrap') ?? 'bubblewrap'}, network bridge: ${findBridge().name}`);
  }
  const hint = trial.isInstalled ? ALLOW_NAMESPACES : 'install bubblewrap';
  return note('sandbox', `agents cannot be confined to their folder: ${trial.reason}`, hint);
}

function versionOf(program: string): string | null {
  const file = findProgram(program, process.cwd());
  if (file === null) return null;
  const { status, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: TOOL_MS_MAX });
  return status === 0 ? (stdout.split('\n')[0] ?? '').trim() : null;
}
