import type { AgentFacts, LaunchPlan, LaunchRequest } from '../../agents/agent-driver.ts';
import { agentEnvironment } from '../../agents/agent-environment.ts';
import { notStarted } from '../../agents/process/supervise.ts';
import type { LiveProcess, ProcessSpec, Sandbox } from '../../agents/sandbox/sandbox.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { taskForAttempt } from '../../protocols/aop/task-for-attempt.ts';
import type { RunAtHand, Work } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { workFolderOf } from '../work-folder.ts';
import { grantOfOrder } from './grant-of-order.ts';
import { watchWork } from './watch-work.ts';

/** Starts the program of the attempt's agent, held to the order's grant, and watches it from its first line on. */
export async function launchStep(world: RunWorld, step: RunAtHand): Promise<Work> {
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
    return startIn(sandbox, { world, step, plan, onLine });
  };
  return watchWork(world, step, { reader: driver.reader(request), start });
}

interface Start {
  readonly world: RunWorld;
  readonly step: RunAtHand;
  readonly plan: LaunchPlan;
  readonly onLine: ProcessSpec['onLine'];
}

async function startIn(sandbox: Sandbox, { world, step, plan, onLine }: Start): Promise<LiveProcess> {
  const { order, snapshotted } = step.execution;
  const workplace = snapshotted?.workplace ?? { kind: 'in-place' };
  const head = snapshotted?.head ?? null;
  const folder = workFolderOf({ order, workplace, dataFolder: world.dataFolder, head });
  const { env, secrets } = agentEnvironment({
    variables: world.environment,
    envNames: plan.envNames,
    env: plan.env,
    run: { taskId: step.task.id, runId: step.runId, sessionId: order.sessionId, door: null },
    isSandboxed: sandbox.name !== 'none',
  });
  const hosts = [...plan.hosts, ...world.settings().hosts, ...step.stored.settings.hosts];
  const grant = grantOfOrder({
    order,
    folder,
    dataFolder: world.dataFolder,
    readPaths: plan.readPaths,
    writePaths: plan.writePaths,
    hosts: order.isFallback ? plan.hosts : hosts,
  });
  return await sandbox.start({
    argv: plan.argv,
    cwd: order.workspaceRoot,
    env,
    stdin: plan.stdin,
    grant,
    secrets,
    onLine,
  });
}

function agentOf(world: RunWorld, execution: Execution): AgentFacts | undefined {
  const name = execution.attempts.at(-1)?.agent;
  return world.settings().agents.find((agent) => agent.name === name);
}

function notThere(execution: Execution): string {
  return `the agent ${execution.attempts.at(-1)?.agent} is not there any more`;
}
