import { suggestChecks } from '../checks/suggest-checks.ts';
import { retriesMax } from '../domain/execution/choose-fallback.ts';
import { TASK_TITLE_CHARACTERS_MAX } from '../domain/limits.ts';
import { judgeFurtherRisks, judgeRisks } from '../domain/order/judge-risks.ts';
import type { Order } from '../domain/order/order.ts';
import type { OrderPlan } from '../domain/order/order-request.ts';
import { isOfProgram, type Round } from '../domain/order/round.ts';
import { type OrderWarning, warningText } from '../domain/order/warning.ts';
import type { Refusal } from '../domain/refusal.ts';
import { checkNames } from '../domain/work/plan-verification.ts';
import type { Reader } from '../ledger/tx.ts';
import { findWorkplace, refuseWorktree, type WorkplaceQuestion } from '../work/place/find-workplace.ts';
import { surroundingNotes, type WorktreeQuestion, worktreeNotes } from '../work/place/plan-notes.ts';
import type { WorkspaceStatus } from '../workspace/repository-status.ts';
import { beyondConfigured, capWarnings } from './order-terms.ts';
import type { PlanWorld } from './plan-world.ts';
import type { RunSettings } from './run-settings.ts';

/** The ledger and the task of an order that is planned; each is null where there is none yet. */
export interface PlanPlace {
  readonly ledger: Reader | null;
  readonly task: WorkplaceQuestion['task'];
  /** The answer of git about the folder of the order, where it was asked already. */
  readonly status?: Promise<WorkspaceStatus>;
}

type PlannableRound = Round & Required<Pick<Round, 'admitted'>>;

/** The consequences of an order, for its caller to confirm. */
export async function planOrder(
  world: PlanWorld,
  round: PlannableRound,
  { ledger, task, status: asked }: PlanPlace,
): Promise<OrderPlan | Refusal> {
  const { order, admitted, continues = null } = round;
  const isProgram = isOfProgram(round);
  const status = await (asked ?? world.surroundings.repositoryStatus(order.workspaceRoot));
  const git = status.kind === 'none' ? null : status;
  const { known, ...agent } = agentOf(world, round);
  const needs = world.roster.needsOf(known, order.workspaceRoot);
  const sandbox = await world.sandboxes.sandbox();
  const sandboxMissing = 'kind' in sandbox ? sandbox.reason : null;
  const question = { order, sandbox: admitted.sandbox, continues, task };
  const { decision, holder } = await findWorkplace(world, question, ledger);
  if (decision.kind === 'refused') return refuseWorktree(order, decision.obstacle, sandboxMissing);
  const { access } = order;
  const workplace = decision.kind === 'same-worktree' ? 'worktree' : decision.kind;
  return {
    title: titleOf(order.objective),
    isProgram,
    agent,
    ...(admitted.routing && { chosen: admitted.routing.reason }),
    workspace: order.workspaceRoot,
    git: git && {
      branch: git.branch,
      head: git.head,
      changedFiles: Object.values(git.dirty).reduce((sum, count) => sum + count, 0),
    },
    workplace,
    heldBy: order.worktree.isWanted ? null : holder,
    readPaths: access.readPaths,
    writePaths: access.writePaths,
    programPaths: admitted.sandbox === 'none' ? [] : [...world.roster.programPaths(known), ...needs.readPaths],
    sessionPaths: admitted.sandbox === 'none' ? [] : needs.writePaths,
    beyond: beyondConfigured(world, order),
    network: access.network,
    hosts: access.network === 'RESTRICTED' ? [...new Set([...needs.hosts, ...order.hosts])] : [],
    sandbox: admitted.sandbox,
    sandboxMissing,
    checks: checkNames(order),
    suggestedChecks:
      isProgram || order.checks.length > 0 ? [] : suggestChecks(order.workspaceRoot).map(({ command }) => command),
    timeoutSeconds: order.policy.timeoutSeconds,
    retries: plannedRetries(order),
    budgetUsd: order.budget.costUsdMax,
    costsMoney: world.roster.drivers[agent.driver]?.hasRemoteModel ?? false,
    warnings: [
      ...(isProgram ? [] : withheldNotes(world.roster.settings())),
      ...admitted.warnings.filter(({ kind }) => kind !== 'not-sandboxed').map(warningText),
      ...(decision.kind === 'worktree' ? await notesOnWorktree(order, known, status) : []),
      ...(status.kind === 'none' || admitted.sandbox === 'none' ? [] : surroundingNotes(order, status, workplace)),
      ...(needs.notes ?? []),
      ...capWarnings(world, known ?? agent, order.budget.costUsdMax),
      ...otherBranch(order, git?.branch ?? null),
      ...(isProgram ? [] : checksLeftOut(order, world.roster.settings())),
    ],
  };
}

/** The agent that starts first, and the facts about it; null where it is not configured. */
function agentOf(world: PlanWorld, { order: { target }, admitted }: PlannableRound) {
  const name = admitted.agent ?? admitted.alternatives.find((each) => each !== null) ?? target.agentName;
  const known = world.roster.settings().agents.find((agent) => agent.name === name) ?? null;
  const { driver = 'process', provider = target.provider, model = target.model } = known ?? {};
  return { name, driver, provider, model, known };
}

async function notesOnWorktree(
  order: Order,
  agent: WorktreeQuestion['agent'],
  status: WorkspaceStatus,
): Promise<readonly string[]> {
  if (status.kind === 'none' || status.head === null) return [];
  return await worktreeNotes({ order, agent, repository: status, head: status.head });
}

/** aop:git-branch: the work is done on the branch that is checked out, whatever the sender believed. */
function otherBranch({ gitBranch, workspaceRoot }: Order, checkedOut: string | null): readonly string[] {
  if (!gitBranch || gitBranch === checkedOut) return [];
  const instead = checkedOut === null ? 'no branch is checked out' : `${checkedOut} is checked out`;
  return [`git_branch is ${gitBranch}, but ${instead} in ${workspaceRoot}: the work is done there`];
}

/** Checks that are named for this run replace those of the configuration. */
function checksLeftOut({ checks }: Order, { checks: usual }: RunSettings) {
  const left = usual.filter((check) => !checks.includes(check));
  return left.length === 0 ? [] : [`configured checks not run because the order names its own: ${left.join(', ')}`];
}

/** A checkpoint that asks for a retry gets one, whatever max_retries says. */
function plannedRetries(order: Order): number {
  const isRetried = order.phases.some(({ checkpoints }) => checkpoints.some(({ onFailure }) => onFailure === 'retry'));
  return Math.max(retriesMax(order), isRetried ? 1 : 0);
}

/** A person who misses a check or an agent learns which file would have named it. */
function withheldNotes({ withheld }: RunSettings): readonly string[] {
  return withheld.map(({ file, keys }) => `ignored until you trust ${file}: ${keys.join(', ')} (baton trust)`);
}

/** Findings about the surroundings of an order, for its report. */
export function notesOn(order: Order, plan: OrderPlan, isFurther: boolean): readonly OrderWarning[] {
  const told = otherBranch(order, plan.git?.branch ?? null);
  return [
    ...told.map((message) => ({ kind: 'message', code: null, path: null, message }) as const),
    ...unconfirmedRisks(plan, isFurther),
  ];
}

/** Risks that a person would have to confirm. A program is not asked; the answer to its order lists them. */
function unconfirmedRisks(plan: OrderPlan, isFurther: boolean): readonly OrderWarning[] {
  if (!plan.isProgram) return [];
  const risks = isFurther ? judgeFurtherRisks(plan) : judgeRisks(plan);
  // Its admission warns of a missing sandbox.
  const unasked = risks.filter(({ kind }) => kind !== 'no-sandbox');
  return unasked.map(({ note }) => ({ kind: 'unasked', code: null, path: null, message: note }));
}

const TITLE_CHARACTERS = 80;

/** A line for one program, such as `@demo write a.txt`. */
const INSTRUCTION = /^@\w+ /;

/** The first line that is for people, shortened; without one the first that is not empty. */
export function titleOf(objective: string): string {
  const lines = objective.split(/\r?\n/).map((line) => line.replace(/^[#>*\s-]+/, '').trim());
  const first =
    lines.find((line) => line !== '' && !INSTRUCTION.test(line)) ?? lines.find((line) => line !== '') ?? 'a task';
  const characters = [...first];
  const short = characters.length > TITLE_CHARACTERS ? `${characters.slice(0, TITLE_CHARACTERS - 1).join('')}…` : first;
  return short.slice(0, TASK_TITLE_CHARACTERS_MAX);
}
