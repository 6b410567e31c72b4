import type { AgentFacts, LaunchRequest } from '../../agents/agent-driver.ts';
import { notStarted } from '../../agents/process/supervise.ts';
import type { LiveProcess, ProcessSpec } from '../../agents/sandbox/sandbox.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { taskForAttempt } from '../../protocols/aop/task-for-attempt.ts';
import type { RunAtHand, Work } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { startAgent } from './start-agent.ts';
import { watchWork } from './watch-work.ts';

/** Starts the program of the attempt's agent, held to the order's grant, and watches it from its first line on. */
export async function launchStep(world: RunWorld, step: RunAtHand): Promise<Work> {
  // Its token is dead before anybody hears that the run is over.
  const release = () => world.agentDoor()?.release(step.runId);
  try {
    const work = await launch(world, step);
    return { ...work, ended: work.ended.finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

async function launch(world: RunWorld, step: RunAtHand): Promise<Work> {
  const { execution, message } = step;
  const agent = agentOf(world, execution);
  const driver = agent && world.drivers[agent.driver];
  if (!agent || !driver)
    return watchWork(world, step, { reader: null, start: async () => notStarted(notThere(execution)) });
  const { text } = taskForAttempt(message, execution, agent);
  const { order, admitted } = execution;
  const isSandboxed = admitted?.sandbox !== 'none';
  const request: LaunchRequest = { order, taskText: text, agent, workspace: order.workspaceRoot, isSandboxed };
  const plan = driver.plan(request);
  if (isRefusal(plan)) return watchWork(world, step, { reader: null, start: async () => notStarted(plan.message) });
  const sandbox = isSandboxed ? await world.sandbox() : world.open;
  const start = (onLine: ProcessSpec['onLine']): Promise<LiveProcess> => {
    // Found when it was admitted; gone since.
    if ('kind' in sandbox) return Promise.resolve(notStarted(sandbox.reason));
    return startAgent(sandbox, { world, step, plan, onLine });
  };
  return watchWork(world, step, { reader: driver.reader(request), start });
}

function agentOf(world: RunWorld, execution: Execution): AgentFacts | undefined {
  const name = execution.attempts.at(-1)?.agent;
  return world.settings().agents.find((agent) => agent.name === name);
}

function notThere(execution: Execution): string {
  return `the agent ${execution.attempts.at(-1)?.agent} is not there any more`;
}
