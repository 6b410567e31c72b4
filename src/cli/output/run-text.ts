import type { HeldTask, RunView } from '../../api/contract.ts';
import type { Look } from './look.ts';
import { statusText, taskTitle } from './task-words.ts';
import { timeText } from './time-text.ts';
import { visible } from './visible.ts';

/** The runs of a task, oldest first, one a line. */
export function runLines(runs: readonly RunView[], look: Look): readonly string[] {
  const agentWidth = Math.max(...runs.map(({ agent }) => agent.length));
  return runs.map((run) => {
    const times = `${timeText(run.startedAt, look.nowMs)} to ${run.endedAt === null ? 'now' : timeText(run.endedAt, look.nowMs)}`;
    const said = run.outcome === null ? 'no report' : `reported ${run.outcome.replace('_', ' ')}`;
    return `  ${visible(run.agent).padEnd(agentWidth)}  ${run.status.padEnd('completed'.length)}  ${times}  ${said}  ${look.faint(run.id)}`;
  });
}

/** What holding a task means, right after it was taken. */
export function claimText({ task, run }: HeldTask, look: Look): string {
  return [
    `${visible(run.agent)} holds ${taskTitle(task, look)}`,
    `run ${run.id}, until ${timeText(run.heartbeatExpiresAt, look.nowMs)} unless it gives a sign of life`,
  ].join('\n');
}

export function beatText({ task, run }: HeldTask, look: Look): string {
  return `${visible(run.agent)} holds ${look.strong(task.id)} until ${timeText(run.heartbeatExpiresAt, look.nowMs)}`;
}

export function endText({ task, run }: HeldTask, look: Look): string {
  const said = run.outcome === null ? 'without a report' : `and reported ${run.outcome.replace('_', ' ')}`;
  return `${visible(run.agent)} ended ${said}; ${look.strong(task.id)} is ${statusText(task.status, look)} now`;
}
