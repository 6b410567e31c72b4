import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { TracedConversation } from '../agents/drivers/vendor/traced-conversation.ts';
import { loadConfigSources, loadEnvironment } from '../config/load.ts';
import { DaySpend } from '../dispatch/attempt/day-spend.ts';
import type { LiveRuns } from '../dispatch/attempt/live-runs.ts';
import { ProgressGates } from '../dispatch/attempt/progress-gates.ts';
import { RunActivities } from '../dispatch/attempt/run-activities.ts';
import type { RunTalk } from '../dispatch/attempt/run-talk.ts';
import type { SettingsTrust } from '../dispatch/steps/step-parts.ts';
import { AgentMailbox } from '../federation/messages/agent-mail.ts';
import type { OrderWorld } from '../orders/order-world.ts';
import { TrustedFiles } from '../platform/files/trusted-paths.ts';
import { OverlapRadar } from '../work/overlap-radar.ts';
import { planWorldOf } from './plan-world-of.ts';

type OwnParts = Pick<OrderWorld, 'ledger' | 'timer' | 'log'> & Parameters<typeof planWorldOf>[0];

/** The world of the orders of this machine. */
export function orderWorldOf({ ledger, timer, log, ...plan }: OwnParts): OrderWorld {
  return { ...planWorldOf(plan), ledger, timer, log, environment: loadEnvironment() };
}

export function liveRunsOf({ ledger, clock, timer, log }: OrderWorld): LiveRuns {
  return {
    progress: new ProgressGates(clock, timer),
    activities: new RunActivities(clock),
    daySpend: new DaySpend(ledger.read, clock),
    overlaps: new OverlapRadar({ ledger, log }),
  };
}

const NOBODY = 'nobody can be asked: the run has no terminal, and no node stays on (baton up)';

interface TalkParts extends Pick<RunTalk, 'receive' | 'server'> {
  /** A person is at the terminal of this node, or the node stays on and can be called. */
  readonly isAttended?: boolean;
}

export function runTalkOf(
  { ledger, clock, ids }: OrderWorld,
  { receive, server, isAttended = false }: TalkParts,
): RunTalk {
  return {
    receive,
    server,
    traced: (conversation, run) => new TracedConversation(conversation, run, { clock, ids }),
    mail: new AgentMailbox(ledger),
    asking: { whyUnattended: () => (isAttended ? null : NOBODY) },
  };
}

/** The configuration files of a node, and the list of those that are trusted. */
export function settingsTrustOf(dataFolder: string): SettingsTrust {
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
