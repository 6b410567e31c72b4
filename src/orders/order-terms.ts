import { isAbsolute } from 'node:path';
import { installCommand, VENDORS } from '../agents/vendors.ts';
import type { AgentFacts, DriverName } from '../domain/agent/agent.ts';
import { MODEL_UNKNOWN } from '../domain/agent/choose-agent.ts';
import { priceOf } from '../domain/agent/price.ts';
import { type BeyondBounds, beyondBounds } from '../domain/order/admit-bounds.ts';
import { type PathFacts, pathsOf } from '../domain/order/admit-paths.ts';
import type { OrderTerms } from '../domain/order/decide-order.ts';
import { refuseNetworkWords, WHOLE_NETWORK } from '../domain/order/network-word.ts';
import type { Order } from '../domain/order/order.ts';
import type { OrderFlags } from '../domain/order/order-request.ts';
import { type Refusal, refuse, refuseField } from '../domain/refusal.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { realPathOf, resolvePath } from '../workspace/resolve-path.ts';
import type { PlanWorld } from './plan-world.ts';
import type { Roster } from './roster.ts';
import type { RunSettings } from './run-settings.ts';

type Settings = RunSettings;

export function refuseFlags({ workspace, net = [], allow = [] }: OrderFlags): Refusal | null {
  const relative = allow.find((path) => !isAbsolute(path));
  if (relative !== undefined) return refuse('invalid_argument', `${relative} is not an absolute path`, '/allow');
  if (!isAbsolute(workspace)) return refuse('invalid_argument', 'the workspace must be an absolute path', '/workspace');
  return refuseNetworkWords(net);
}

const NOBODY = { name: 'unnamed', provider: 'OTHER', model: MODEL_UNKNOWN } as const;

interface TermsWorld {
  readonly roster: Pick<Roster, 'settings' | 'hostsOf'>;
  readonly ids: Pick<Ids, 'ulid'>;
  readonly clock: Clock;
}

/** The caller's flags and the configuration of this moment. */
export function termsOf({ roster, ids, clock }: TermsWorld, request: OrderFlags): OrderTerms {
  const configured = roster.settings();
  const isWholeNetworkWanted = request.net?.includes(WHOLE_NETWORK) ?? false;
  const { bounds, agents, checks, hosts, isSandboxDemanded, isShellAllowed, memoryBytesMax, worktree, runUsdMax } =
    configured;
  const { onQuota, prices, questionTimeoutMs, review = null, eventTypes, entropy } = configured;
  const id = ids.ulid();
  const name = chosenAgent(request, configured);
  const caps = [request.budgetUsd ?? null, runUsdMax].filter((cap) => cap !== null);
  return {
    sessionId: `ses_${id}`,
    taskId: `aop_${id}`,
    createdAt: clock.now().wallMs,
    origin: request.origin ?? 'API',
    workspaceRoot: request.workspace,
    agents,
    agentName: request.agent ?? null,
    usualAgent: agents.find((agent) => agent.name === name) ?? { ...NOBODY, name: name ?? NOBODY.name },
    checks: request.checks ?? [],
    usualChecks: checks,
    timeoutSeconds: request.timeoutSeconds ?? null,
    retriesMax: request.retries ?? null,
    costUsdMax: caps.length === 0 ? null : Math.min(...caps),
    hosts: [...hosts, ...roster.hostsOf((request.net ?? []).filter((word) => word !== WHOLE_NETWORK))],
    bounds: {
      allow: [...bounds.allow, ...(request.allow ?? [])],
      network: isWholeNetworkWanted ? 'FULL' : bounds.network,
    },
    isWholeNetworkWanted,
    checkHosts: hosts,
    isSandboxDemanded,
    isShellAllowed,
    memoryBytesMax,
    worktree: { isWanted: request.worktree ?? false, ...worktree },
    settings: { onQuota, prices, questionTimeoutMs, review, eventTypes, ...(entropy && { entropy }) },
  };
}

/** The named agent, else the default, else the only one. The demo agent is used only if it is named. */
function chosenAgent({ agent }: Pick<OrderFlags, 'agent'>, { agents, defaultAgent }: Settings): string | null {
  const named = agent || defaultAgent;
  if (named) return named;
  const real = agents.filter(({ driver }) => driver !== 'demo');
  return real.length === 1 ? (real[0]?.name ?? null) : null;
}

/** Refuses a text that names no agent if neither the caller nor the configuration names one. */
export function refuseMissingAgent(request: Pick<OrderFlags, 'agent'>, configured: Settings): Refusal | null {
  if (chosenAgent(request, configured) !== null) return null;
  const { agents } = configured;
  const refusal = refuseField('agent-not-found', whyNoAgent(configured), { kind: 'agent' });
  const hint =
    agents.length > 1
      ? '--agent NAME, or for good: baton config set default_agent NAME'
      : '--agent demo, which needs no model; docs/agents.md tells how to set up others';
  return { ...refusal, hint, details: agents.length > 1 ? agents.map(choiceText) : waysToGetOne(configured) };
}

function choiceText({ name, driver, model }: Settings['agents'][number]): string {
  return `${name}: ${driver === 'demo' ? 'built in, uses no model' : `${driver}, ${model}`}`;
}

/** The reason why each agent is not ready, else the command that installs each vendor's. */
function waysToGetOne({ unready }: Settings): readonly string[] {
  if (unready.length > 0) return unready.map(({ name, missing }) => `${name}: ${missing}`);
  return Object.values(VENDORS).map((vendor) => `${vendor.title}: ${installCommand(vendor)}`);
}

function whyNoAgent({ agents, unready }: Settings): string {
  if (agents.length > 1) return 'several agents are ready; name one';
  return unready.length === 0 ? 'no agent is installed' : 'no agent is ready';
}

/** The paths and network of an order that exceed the configured bounds, whatever its caller allows. */
export function beyondConfigured(world: PlanWorld, order: Order): BeyondBounds {
  const { bounds } = world.roster.settings();
  const facts = {
    places: resolvePaths(order),
    dataFolder: null,
    homes: world.surroundings.homes,
    allowed: realAllowed(bounds.allow),
  };
  return beyondBounds(order, bounds.network, facts);
}

export function resolvePaths(order: Order): PathFacts['places'] {
  return new Map(pathsOf(order).map((path) => [path, resolvePath(path, order.workspaceRoot)]));
}

export function realAllowed(paths: readonly string[]): readonly string[] {
  return paths.map((path) => realPathOf(path, '/') ?? path);
}

/** Warns when Baton cannot enforce the spending cap. */
export function capWarnings(
  world: CapWorld,
  agent: Pick<AgentFacts, 'name' | 'driver' | 'model' | 'vendorModel'>,
  capUsd: number | null,
): readonly string[] {
  if (capUsd === null || !world.roster.drivers[agent.driver]?.reportsNoCost) return [];
  const { model, vendorModel = model } = agent;
  const { date } = priceOf(world.roster.settings().prices, [vendorModel, model]) ?? {};
  if (date !== undefined) {
    return [
      `${agent.name} reports tokens only at the end; Baton then computes the cost from your prices of ${date} and checks the cap`,
    ];
  }
  const setting = `prices.${vendorModel}`;
  return [`${agent.name} reports tokens and no cost: the cap of $${capUsd} cannot stop it unless you set ${setting}`];
}

interface CapWorld {
  readonly roster: {
    readonly drivers: Readonly<Partial<Record<DriverName, { readonly reportsNoCost?: boolean }>>>;
    settings(): Pick<RunSettings, 'prices'>;
  };
}
