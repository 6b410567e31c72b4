import type { LaunchPlan } from '../../agents/agent-driver.ts';
import { agentEnvironment, type RunVariables } from '../../agents/agent-environment.ts';
import type { LiveProcess, ProcessSpec, Sandbox } from '../../agents/sandbox/sandbox.ts';
import { loopbackPortsOf } from '../../domain/network-word.ts';
import type { AgentDoor } from '../agent-door.ts';
import type { RunAtHand } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { folderOfExecution } from '../work-folder.ts';
import { grantOfOrder } from './grant-of-order.ts';
import { pathsToWrite } from './write-grant.ts';

export interface AgentStart {
  readonly world: RunWorld;
  readonly step: RunAtHand;
  readonly plan: LaunchPlan;
  readonly onLine: ProcessSpec['onLine'];
}

/** Starts the program of an agent, with what it is granted, told and hidden from. */
export async function startAgent(sandbox: Sandbox, { world, step, plan, onLine }: AgentStart): Promise<LiveProcess> {
  const { order } = step.execution;
  const folder = folderOfExecution(step.execution, world.dataFolder);
  // Without a network there is no way to it, so the agent is not told of it.
  const door = order.access.network === 'NONE' ? null : world.agentDoor();
  const { env, secrets } = agentEnvironment({
    variables: world.environment,
    envNames: plan.envNames,
    env: plan.env,
    run: { taskId: step.task.id, runId: step.runId, sessionId: order.sessionId, door: door && passOf(door, step) },
    isSandboxed: sandbox.name !== 'none',
  });
  const listed = [...plan.hosts, ...world.settings().hosts, ...step.stored.settings.hosts];
  const hosts = order.isFallback ? plan.hosts : listed;
  const grant = grantOfOrder({
    order,
    folder,
    dataFolder: world.dataFolder,
    readPaths: plan.readPaths,
    writePaths: [...pathsToWrite(order), ...plan.writePaths],
    hosts,
    loopbackPorts: [...(door ? [door.port] : []), ...loopbackPortsOf(hosts)],
    memoryBytesMax: world.settings().memoryBytesMax,
  });
  const { argv, stdin } = plan;
  return await sandbox.start({ argv, cwd: order.workspaceRoot, env, stdin, grant, secrets, onLine });
}

/** Good until the run ends. */
function passOf(door: AgentDoor, { task, runId, execution }: RunAtHand): NonNullable<RunVariables['door']> {
  const agent = execution.attempts.at(-1)?.agent ?? '';
  return { url: door.url, token: door.admit({ taskId: task.id, taskUid: task.uid, runId, agent }) };
}
