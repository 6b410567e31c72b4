import { statSync } from 'node:fs';
import type { SessionSpend } from '../agents/agent-driver.ts';
import type { Grant } from '../agents/sandbox/sandbox.ts';
import type { BoundedLaunch } from '../dispatch/attempt/attempt.ts';
import type { RunWorld } from '../dispatch/run-world.ts';
import type { AgentFacts } from '../domain/agent.ts';
import { FEEDBACK_TIMEOUT_SECONDS } from '../domain/limits.ts';
import { nearWord } from '../domain/near-word.ts';
import type { Prompt } from '../domain/prompt.ts';
import type { OnQuota } from '../domain/quota.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { realPathOf } from '../workspace/resolve-path.ts';

/** A process of a reviewer: it reads, and reaches its model alone. */
export interface ReviewerLaunch extends Omit<BoundedLaunch, 'limits'> {
  readonly timeoutSeconds: number;
  /** Cap of one answer; null is no cap. */
  readonly costUsdMax: number | null;
  readonly onQuota: OnQuota;
}

export type ReviewerWorld = Pick<RunWorld, 'settings' | 'accountOf' | 'sandbox' | 'foldersToHide' | 'drivers'>;

/** A folder that the reviewer sees in place of its workspace, such as the worktree of a task. */
export type ShownFolder = Pick<Grant, 'mounts' | 'readPaths'>;

const NOTHING_SHOWN: ShownFolder = { mounts: [], readPaths: [] };

/** The agent of this name, ready to review; a refusal says what is missing. */
export function findReviewer({ settings }: ReviewerWorld, name: string): AgentFacts | Refusal {
  const { agents, unready } = settings();
  const agent = agents.find((each) => each.name === name);
  if (agent) return agent;
  const missing = unready.find((each) => each.name === name)?.missing;
  if (missing !== undefined) return refuse('E_AGENT_NOT_FOUND', `the agent ${name} is not ready: ${missing}`, '/agent');
  const near = nearWord(
    name,
    agents.map((each) => each.name),
  );
  const refusal = refuse('E_AGENT_NOT_FOUND', `there is no agent ${JSON.stringify(name)}`, '/agent');
  return near === null ? refusal : { ...refusal, hint: `did you mean ${near}? baton agents lists all of them` };
}

/** Refuses to review where that cannot be confined; null where it can. */
export async function refuseOpenReview(world: ReviewerWorld, workspace: string): Promise<Refusal | null> {
  if (!statSync(workspace, { throwIfNoEntry: false })?.isDirectory())
    return refuse('E_FILE_NOT_FOUND', `there is no folder ${workspace} to review in`, '/workspace');
  const sandbox = await world.sandbox();
  if (!('kind' in sandbox)) return null;
  const refusal = refuse(
    'E_PERMISSION_DENIED',
    `a reviewer runs in a sandbox only, and there is none: ${sandbox.reason}`,
  );
  return { ...refusal, hint: 'baton doctor says how to get one' };
}

export interface LaunchFacts {
  readonly agent: AgentFacts;
  readonly prompt: Prompt;
  readonly workspace: string;
  readonly shown: ShownFolder | null;
  readonly run: BoundedLaunch['run'];
  readonly resume: string | null;
  readonly spentInSession: SessionSpend | null;
  readonly timeoutSeconds: number | null;
  readonly stop: AbortSignal;
}

export async function reviewerLaunch(world: ReviewerWorld, facts: LaunchFacts): Promise<ReviewerLaunch> {
  const { agent, workspace, shown, spentInSession, timeoutSeconds, ...request } = facts;
  const { runUsdMax, prices, onQuota } = world.settings();
  return {
    ...request,
    agent,
    workspace,
    grant: await readOnlyGrant(world, workspace, shown ?? NOTHING_SHOWN),
    isSandboxed: true,
    isHeadless: true,
    ...(spentInSession && { spentInSession }),
    timeoutSeconds: timeoutSeconds ?? agent.timeoutSeconds ?? FEEDBACK_TIMEOUT_SECONDS,
    costUsdMax: runUsdMax,
    onQuota: onQuota.ofAgent[agent.name] ?? onQuota.usual,
    prices,
    account: world.accountOf(agent),
  };
}

/** No path may be written, and no host reached, but those that the agent's own vendor needs. */
async function readOnlyGrant(world: ReviewerWorld, workspace: string, shown: ShownFolder): Promise<Grant> {
  const readPaths = [realPathOf(workspace, '/') ?? workspace, ...shown.readPaths];
  const { folders } = await world.foldersToHide(readPaths);
  return {
    readPaths,
    writePaths: [],
    mounts: shown.mounts,
    hiddenPaths: folders,
    network: { level: 'RESTRICTED', hosts: [], loopbackPorts: [] },
  };
}
