import {
  type AgentNeeds,
  type Conversation,
  type LaunchPlan,
  listenOnly,
  NEEDS_NOTHING,
} from '../../agents/agent-driver.ts';
import { agentEnvironment, certificateFiles } from '../../agents/agent-environment.ts';
import { blockedPlace } from '../../agents/blocked-place.ts';
import { PricedConversation } from '../../agents/priced-conversation.ts';
import { notStarted } from '../../agents/process/supervise.ts';
import type { Grant, LiveProcess, ProcessSpec, Sandbox } from '../../agents/sandbox/sandbox.ts';
import { usdLeft } from '../../domain/order/budget.ts';
import { loopbackPortsOf } from '../../domain/order/network-word.ts';
import { type FailureCode, failureCodeOf, isRefusal } from '../../domain/refusal.ts';
import type { AgentEndpoint } from '../../domain/task/channel.ts';
import { withoutEnd } from '../../domain/words/without-end.ts';
import { realPathAsFar } from '../../platform/files/real-path.ts';
import type { AgentWorld, BoundedLaunch } from './attempt.ts';
import type { RunTalk } from './run-talk.ts';

/** An agent as its driver plans it, ready to be started. */
export interface PlannedLaunch {
  readonly conversation: Conversation;
  /** Its driver reads the events of one program, which are all that it prints on stdout. */
  readonly isVendor: boolean;
  /** The hosts of its model, as `name` or `name:port`. */
  readonly modelHosts: readonly string[];
  /** Never throws for a program that cannot be started: its end reports why. */
  start(hears: Hearing): Promise<LiveProcess>;
}

/** The callbacks of a process. */
export type Hearing = Pick<ProcessSpec, 'onLine' | 'onRefusedHost' | 'onTriedHost'>;

const SILENT = listenOnly({ line: () => [], end: () => [] });

export function planLaunch(world: AgentWorld, request: BoundedLaunch): PlannedLaunch {
  const { agent } = request;
  const driver = world.roster.drivers[agent.driver];
  if (!driver) return neverStarted(`there is no driver ${agent.driver} for the agent ${agent.name}`, 'agent-not-found');
  const { budget, spentBefore, day = null } = request.limits;
  const usdMax = usdLeft(budget, spentBefore, day);
  const launch = { ...request, variables: world.environment, resume: request.resume ?? null, usdMax };
  const plan = driver.plan(launch);
  if (isRefusal(plan)) return neverStarted(plan.message, failureCodeOf(plan.code));
  const needs = driver.needs?.(launch) ?? NEEDS_NOTHING;
  const blocked = request.isSandboxed ? blockedPlace(needs.writePaths) : null;
  if (blocked !== null) return neverStarted(blocked, 'permission-denied');
  const start: PlannedLaunch['start'] = (hears) => startProcess(world, request, { plan, needs, hears });
  const pricing = { table: request.prices ?? {}, model: agent.model };
  const conversation = new PricedConversation(driver.converse(launch), pricing);
  const { holder, sessionId } = request.run;
  const isVendor = driver.tracesItself !== true;
  const { hosts: modelHosts } = needs;
  if (!isVendor || holder === null) return { conversation, isVendor, modelHosts, start };
  const traced = { taskId: holder.taskId, sessionId, role: agent.role };
  return { conversation: world.talk.traced(conversation, traced), isVendor, modelHosts, start };
}

function neverStarted(reason: string, code: FailureCode): PlannedLaunch {
  const end = notStarted(reason, code === 'agent-not-found', code === 'permission-denied');
  return { conversation: SILENT, isVendor: false, modelHosts: [], start: async () => end };
}

interface Start {
  readonly plan: LaunchPlan;
  readonly needs: AgentNeeds;
  readonly hears: Hearing;
}

async function startProcess(world: AgentWorld, request: BoundedLaunch, start: Start): Promise<LiveProcess> {
  const { run, workspace } = request;
  const { argv, stdin, keepsStdinOpen = false, env: own, envNames } = start.plan;
  const sandbox = request.isSandboxed ? await world.sandboxes.sandbox() : world.sandboxes.open;
  // The sandbox existed when the order was admitted and is missing now.
  if ('kind' in sandbox) return notStarted(sandbox.reason);
  const { holder, runId, sessionId } = run;
  // Without a network the agent cannot reach the server, so it gets no address and no token.
  const isShut = holder === null || request.grant.network.level === 'NONE';
  const endpoint = isShut ? null : await openServer(world.talk);
  const { env, secrets } = agentEnvironment({
    variables: world.environment,
    envNames,
    env: own,
    run: {
      ...{ taskId: holder?.taskId ?? null, runId, sessionId },
      taskFolder: (isWalled(sandbox) ? request.taskFolder?.shownAt : request.taskFolder?.root) ?? null,
      endpoint: holder && endpoint && { url: endpoint.url, token: endpoint.admit(holder) },
    },
    isSandboxed: isWalled(sandbox),
  });
  const needs = { ...start.needs, readPaths: [...start.needs.readPaths, ...certificateFiles(world.environment)] };
  const grant = grantWith(request.grant, { ...start, needs }, endpoint);
  return await sandbox.start({ argv, cwd: workspace, env, stdin, keepsStdinOpen, grant, secrets, ...start.hears });
}

async function openServer({ server }: RunTalk): Promise<AgentEndpoint | null> {
  return (await server()?.open())?.agents ?? null;
}

function isWalled({ name }: Sandbox): boolean {
  return name !== 'none';
}

/** Settings are often links to a folder of dotfiles: what they lead to is shown under the name that the program knows. */
function linkedPlaces(paths: readonly string[]): Grant['mounts'] {
  return paths
    .map((path) => withoutEnd(path, '/') || '/')
    .map((at) => ({ from: realPathAsFar(at), at }))
    .filter(({ from, at }) => from !== at);
}

/** The grant of the request, with what the driver's program and the way back to the node need. */
function grantWith(grant: Grant, { plan, needs }: Start, endpoint: AgentEndpoint | null): Grant {
  const { level, hosts, loopbackPorts } = grant.network;
  return {
    ...grant,
    readPaths: [...grant.readPaths, ...plan.readPaths, ...needs.readPaths],
    writePaths: [...grant.writePaths, ...needs.writePaths],
    mounts: [...grant.mounts, ...linkedPlaces([...needs.readPaths, ...needs.writePaths])],
    privatePaths: needs.privatePaths,
    network: {
      level,
      hosts: [...needs.hosts, ...hosts],
      loopbackPorts: [...(endpoint ? [endpoint.port] : []), ...loopbackPortsOf(needs.hosts), ...loopbackPorts],
    },
  };
}
