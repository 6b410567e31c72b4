import { agentEnvironment } from '../../agents/agent-environment.ts';
import type { MissingSandbox } from '../../agents/sandbox/find-sandbox.ts';
import type { Grant, Sandbox } from '../../agents/sandbox/sandbox.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import type { RunWorld } from '../run-world.ts';
import { grantOfOrder, pathsToCheck, type WorkFolder } from './work-folder.ts';

export interface CheckSurroundings {
  readonly sandbox: Sandbox;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly grant: Grant;
}

export interface CheckedOrder {
  readonly task: { readonly id: string };
  readonly execution: Pick<Execution, 'order' | 'admitted' | 'attempts'>;
}

/** The sandbox, environment and grant of an order's checks: those of its agent, without its driver's needs. */
export async function checkSurroundings(
  world: RunWorld,
  { task, execution }: CheckedOrder,
  folder: WorkFolder,
): Promise<CheckSurroundings | MissingSandbox> {
  const { order, admitted, attempts } = execution;
  const isSandboxed = admitted?.sandbox !== 'none';
  const sandbox = isSandboxed ? await world.sandbox() : world.open;
  if ('kind' in sandbox) return sandbox;
  const run = { taskId: task.id, runId: attempts.at(-1)?.runId ?? '', sessionId: order.sessionId, door: null };
  const { env, secrets } = agentEnvironment({ variables: world.environment, envNames: [], env: {}, run, isSandboxed });
  const { foldersToHide } = world;
  const { checkHosts: hosts, memoryBytesMax } = order;
  const writePaths = pathsToCheck(order, folder);
  const grant = await grantOfOrder({ order, folder, foldersToHide, readPaths: [], writePaths, hosts, memoryBytesMax });
  return { sandbox, env, secrets, grant };
}
