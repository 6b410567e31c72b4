import { spawnSync } from 'node:child_process';
import { findBridge } from '../../agents/sandbox/network/bridge.ts';
import { NODE_MAJOR_MIN } from '../../domain/limits.ts';
import { findProgram } from '../../platform/find-program.ts';
import { type Finding, note, well, wrong } from './finding.ts';

const TOOL_MS_MAX = 3_000;

/** The Node, SQLite, git and sandbox of this machine. */
export function machineFindings(): readonly Finding[] {
  return [nodeFinding(process.versions.node), sqliteFinding(), gitFinding(), sandboxFinding()];
}

function nodeFinding(version: string): Finding {
  if (Number.parseInt(version, 10) >= NODE_MAJOR_MIN) return well('Node', version);
  return wrong('Node', `${version} is too old`, `use Node ${NODE_MAJOR_MIN} or newer; npm brings one with Baton`);
}

function sqliteFinding(): Finding {
  return well('SQLite', process.versions['sqlite'] ?? 'built into Node');
}

function gitFinding(): Finding {
  const version = versionOf('git');
  if (version === null) return note('git', 'is not installed: without it work cannot be undone', 'install git');
  return well('git', version);
}

/** The sandbox confines agents to their folder; its bridge connects them to the node and to granted hosts. */
function sandboxFinding(): Finding {
  const version = versionOf('bwrap');
  if (version !== null) return well('sandbox', `${version}, network bridge: ${findBridge().name}`);
  return note(
    'sandbox',
    'bubblewrap is not installed: agents cannot be confined to their folder',
    'install bubblewrap',
  );
}

function versionOf(program: string): string | null {
  const file = findProgram(program, process.cwd());
  if (file === null) return null;
  const { status, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: TOOL_MS_MAX });
  return status === 0 ? (stdout.split('\n')[0] ?? '').trim() : null;
}
