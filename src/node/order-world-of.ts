import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { TracedConversation } from '../agents/drivers/vendor/traced-conversation.ts';
import { OpenSandbox } from '../agents/sandbox/open/open-sandbox.ts';
import { loadConfigSources, loadEnvironment } from '../config/load.ts';
import { DaySpend } from '../dispatch/attempt/day-spend.ts';
import { ProgressGates } from '../dispatch/attempt/progress-gates.ts';
import { RunActivities } from '../dispatch/attempt/run-activities.ts';
import { accountOfTask, holdOfAgent, holdOfTask } from '../dispatch/order-agent.ts';
import type { RunWorld } from '../dispatch/run-world.ts';
import { TrustedFiles } from '../platform/files/trusted-paths.ts';
import { batonVersion } from '../platform/process/own-process.ts';
import { AwakeTime } from '../sessions/awake-time.ts';
import { OverlapRadar } from '../work/overlap-radar.ts';
import { planWorldOf } from './plan-world-of.ts';

export interface WorldParts
  extends Pick<
    RunWorld,
    | 'dataFolder'
    | 'ledger'
    | 'clock'
    | 'ids'
    | 'timer'
    | 'log'
    | 'server'
    | 'receive'
    | 'reviewDue'
    | 'taskFolders'
    | 'remote'
  > {
  /** A person is at the terminal of this node, or the node stays on and can be called. */
  readonly isAttended?: boolean;
}

const NOBODY = 'nobody can be asked: the run has no terminal, and no node stays on (baton up)';

export function runWorldOf({ dataFolder, clock, ids, isAttended = false, ...parts }: WorldParts): RunWorld {
  const plan = planWorldOf({ dataFolder, clock, ids });
  const agents = { ...plan, ledger: parts.ledger };
  return {
    ...plan,
    ...parts,
    asking: { whyUnattended: () => (isAttended ? null : NOBODY) },
    accountOfTask: (task) => accountOfTask(agents, task),
    holdOfTask: (task) => holdOfTask(agents, task),
    holdOf: (agent) => holdOfAgent(agents, agent),
    progress: new ProgressGates(clock, parts.timer),
    activities: new RunActivities(clock),
    daySpend: new DaySpend(parts.ledger.read, clock),
    overlaps: new OverlapRadar(parts),
    awake: new AwakeTime(parts.ledger, clock),
    traced: (conversation, run) => new TracedConversation(conversation, run, { clock, ids }),
    batonVersion: batonVersion(),
    open: new OpenSandbox(),
    environment: loadEnvironment(),
    ...trustedSettings(dataFolder),
  };
}

/** The configuration files of a node, and the list of those that are trusted. */
function trustedSettings(dataFolder: string): Pick<RunWorld, 'settingsFiles' | 'withdrawTrust'> {
  return {
    settingsFiles() {
      const { mine, team, folder } = loadConfigSources(dataFolder);
      const paths = [mine, team, folder].filter((path) => path !== null);
      return paths.map((path) => ({ path, sha256: hashOf(path) }));
    },
    withdrawTrust(path) {
      new TrustedFiles(loadConfigSources(dataFolder).stateFolder).withdraw(path);
    },
  };
}

function hashOf(path: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    // Absent.
    return null;
  }
}
