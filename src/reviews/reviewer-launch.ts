import { statSync } from 'node:fs';
import type { VendorSessionSpend } from '../agents/agent-driver.ts';
import type { Grant } from '../agents/sandbox/sandbox.ts';
import type { Sandboxes } from '../agents/sandbox/sandboxes.ts';
import { absentAgents } from '../agents/vendors.ts';
import type { BoundedLaunch } from '../dispatch/attempt/attempt.ts';
import { overDay } from '../dispatch/attempt/attempt-end.ts';
import type { LiveRuns } from '../dispatch/attempt/live-runs.ts';
import type { AgentFacts } from '../domain/agent/agent.ts';
import type { OnQuota } from '../domain/agent/quota.ts';
import { FEEDBACK_TIMEOUT_SECONDS } from '../domain/limits.ts';
import type { DayLimit } from '../domain/order/budget.ts';
import type { Prompt } from '../domain/order/prompt.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { ReviewerTerms } from '../domain/review/feedback-session.ts';
import { nearWord } from '../domain/words/near-word.ts';
import type { Roster } from '../orders/roster.ts';
import { realPathOf } from '../workspace/resolve-path.ts';

/** A process of a reviewer: it reads, and reaches its model alone. */
export interface ReviewerLaunch extends Omit<BoundedLaunch, 'limits'> {
  readonly timeoutSeconds: number;
  /** Cap of one answer; null is no cap. */
  readonly costUsdMax: number | null;
  /** The cap of the day; null without one. */
  readonly day: DayLimit | null;
  readonly onQuota: OnQuota;
}

export interface ReviewerWorld {
  readonly roster: Roster;
  readonly sandboxes: Sandboxes;
  readonly live: Pick<LiveRuns, 'daySpend'>;
}

/** A folder that the reviewer sees in place of its workspace, such as the worktree of a task. */
export type ShownFolder = Pick<Grant, 'mounts' | 'readPaths'>;

const NOTHING_SHOWN: ShownFolder = { mounts: [], readPaths: [] };

/** The agent of this name, ready to review; a refusal says what is missing. */
export function findReviewer(
  { roster: { settings } }: Pick<ReviewerWorld, 'roster'>,
  name: string,
): AgentFacts | Refusal {
  const { agents, unready } = settings();
  const agent = agents.find((each) => each.name === name);
  if (agent) return agent;
  const lacking = [...unready, ...absentAgents([])].find((each) => each.name === name);
  if (lacking) {
    const { missing, isAbsent = false } = lacking;
    const state = isAbsent ? 'not installed' : 'not ready';
    return refuse('agent-not-found', `the agent ${name} is ${state}: ${missing}`, '/agent');
  }
  const near = nearWord(
    name,
    agents.map((each) => each.name),
  );
  const refusal = refuse('agent-not-found', `there is no agent ${JSON.stringify(name)}`, '/agent');
  return near === null ? refusal : { ...refusal, hint: `did you mean ${near}? baton agents lists all of them` };
}

/** Decides everything that a reviewer's answers take from the configuration: a change counts for the next session. */
export function decideReviewer(world: Pick<ReviewerWorld, 'roster'>, name: string): ReviewerTerms | Refusal {
  const agent = findReviewer(world, name);
  if (isRefusal(agent)) return agent;
  const { runUsdMax: costUsdMax, prices, onQuota } = world.roster.settings();
  return { agent, costUsdMax, prices, onQuota: onQuota.ofAgent[name] ?? onQuota.usual };
}

/** Returns why a paid reviewer is not asked: the daily budget is used up. */
export async function whyDayIsSpent(world: ReviewerWorld, { driver }: AgentFacts): Promise<string | null> {
  const { dayUsdMax: usdMax } = world.roster.settings();
  if (usdMax === null || !world.roster.drivers[driver]?.hasRemoteModel) return null;
  const usd = await world.live.daySpend.usd();
  return usd < usdMax ? null : overDay({ usd, usdMax });
}

/** Refuses to review where that cannot be confined; null where it can. */
export async function refuseOpenReview(
  world: Pick<ReviewerWorld, 'sandboxes'>,
  workspace: string,
): Promise<Refusal | null> {
  if (!statSync(workspace, { throwIfNoEntry: false })?.isDirectory())
    return {
      ...refuse('file-not-found', `there is no folder ${workspace} to review in`, '/workspace'),
      hint: 'make the folder, or correct its path',
    };
  const sandbox = await world.sandboxes.sandbox();
  if (!('kind' in sandbox)) return null;
  const refusal = refuse(
    'permission-denied',
    `a reviewer runs in a sandbox only, and there is none: ${sandbox.reason}`,
  );
  return { ...refusal, hint: 'baton doctor says how to get one' };
}

export interface LaunchFacts {
  readonly terms: ReviewerTerms;
  readonly prompt: Prompt;
  readonly workspace: string;
  readonly shown: ShownFolder | null;
  readonly run: BoundedLaunch['run'];
  readonly resume: string | null;
  readonly spentInSession: VendorSessionSpend | null;
  /** The cost of the earlier tries of the same iteration. */
  readonly earlierUsd: number;
  readonly timeoutSeconds: number | null;
  readonly stop: AbortSignal;
}

export async function reviewerLaunch(world: ReviewerWorld, facts: LaunchFacts): Promise<ReviewerLaunch> {
  const { terms, workspace, shown, spentInSession, earlierUsd, timeoutSeconds, ...request } = facts;
  const { agent, ...limits } = terms;
  // The cap of the day is that of the node at this moment.
  const { dayUsdMax } = world.roster.settings();
  const { sessionId } = request.run;
  return {
    ...request,
    agent,
    workspace,
    grant: await readOnlyGrant(world, workspace, shown ?? NOTHING_SHOWN),
    isSandboxed: true,
    isHeadless: true,
    ...(spentInSession && { spentInSession }),
    timeoutSeconds: timeoutSeconds ?? agent.timeoutSeconds ?? FEEDBACK_TIMEOUT_SECONDS,
    day: dayUsdMax === null ? null : world.live.daySpend.limitOfReview(sessionId, dayUsdMax, earlierUsd),
    ...limits,
    account: world.roster.accountOf(agent),
  };
}

/** No path may be written, and no host reached, but those that the agent's own vendor needs. */
async function readOnlyGrant(world: ReviewerWorld, workspace: string, shown: ShownFolder): Promise<Grant> {
  const readPaths = [realPathOf(workspace, '/') ?? workspace, ...shown.readPaths];
  const { folders } = await world.sandboxes.foldersToHide(readPaths);
  return {
    readPaths,
    writePaths: [],
    mounts: shown.mounts,
    hiddenPaths: folders,
    network: { level: 'RESTRICTED', hosts: [], loopbackPorts: [] },
  };
}
