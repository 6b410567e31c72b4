import { dirname } from 'node:path';
import type { RunSettings } from '../../../dispatch/run-settings.ts';
import type { RunGlance } from '../../../domain/run-glance.ts';
import { TASK_TRANSITIONS } from '../../../domain/task-lifecycle.ts';
import { selectMeta } from '../../../ledger/statements/meta.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Calls } from '../../node-client.ts';
import type { AgentState, Overview, RunningTask, SpendToday } from '../../overview-contract.ts';
import { type ReadParts, SHOWN_IN_STATUS_MAX, statusOf } from '../read-calls.ts';
import { DayRecord } from './day-record.ts';
import { finishedTasks } from './finished-tasks.ts';
import { needsYouOf } from './needs-you.ts';
import { viewRunning, viewWaiting } from './open-tasks.ts';

export interface OverviewParts extends ReadParts {
  readonly clock: Clock;
  settings(): Pick<RunSettings, 'agents' | 'defaultAgent' | 'dayUsdMax'>;
  glanceAt(runId: string): RunGlance;
}

/** Its cost grows with what is open and with what happened since the last call, not with history. */
export function overviewCall(parts: OverviewParts): Pick<Calls, 'overview'> {
  const day = new DayRecord(parts.read, parts.clock);
  return {
    overview: async () => {
      await day.update();
      // All of it in one turn of the event loop: no commit comes between.
      return overviewOf(parts, day);
    },
  };
}

function overviewOf(parts: OverviewParts, day: DayRecord): Overview {
  const { read, clock, dataFolder, glanceAt } = parts;
  const { counts, attention, ...status } = statusOf(parts);
  const needsYou = needsYouOf(read, attention.items);
  const without = new Set(needsYou.map(({ task }) => task));
  const finished = finishedTasks(read, { today: day.finished, without, limit: SHOWN_IN_STATUS_MAX });
  const running = status.running.map((task) => viewRunning(read, task, glanceAt(task.run?.id ?? '')));
  return {
    data: dataFolder,
    workspace: dirname(dataFolder),
    at: new Date(clock.now().wallMs).toISOString(),
    project: selectMeta(read, 'project') ?? '',
    lastEvent: day.lastEvent,
    counts,
    moves: TASK_TRANSITIONS,
    spend: spendOf(parts, day),
    agents: agentsOf(parts, running),
    needsYou,
    running,
    waiting: status.waiting.map((task) => viewWaiting(read, task)),
    finished: finished.tasks,
    totals: {
      needsYou: attention.total,
      running: counts['in-progress'] ?? 0,
      waiting: (counts.ready ?? 0) + (counts.backlog ?? 0),
      finished: finished.total,
    },
  };
}

/** A run whose vendor named no model counts for the configured one. */
function spendOf({ settings }: OverviewParts, day: DayRecord): SpendToday {
  const { agents, dayUsdMax } = settings();
  const byModel = day.spend.map((each) => ({
    ...each,
    model: each.model === '' ? (agents.find(({ name }) => name === each.agent)?.model ?? '') : each.model,
  }));
  const usd = byModel.reduce((sum, each) => sum + each.usd, 0);
  return { since: new Date(day.sinceMs).toISOString(), usd, usdMax: dayUsdMax, byModel };
}

function agentsOf({ settings, quotaOf }: OverviewParts, running: readonly RunningTask[]): readonly AgentState[] {
  const { agents, defaultAgent } = settings();
  return agents.map(({ name, driver, model }) => {
    const hold = quotaOf?.(name) ?? null;
    return {
      name,
      driver,
      model,
      isDefault: name === defaultAgent,
      running: running.filter(({ run }) => run?.agent === name).length,
      outUntil: hold && new Date(hold.until).toISOString(),
      outBecause: hold?.message ?? null,
    };
  });
}
