import type { OrderPlan } from './order-request.ts';

export const RISK_KINDS = ['no-sandbox', 'no-git', 'dirty-tree', 'no-cap'] as const;

/** A reason to ask a person before the work begins. */
export interface PlanRisk {
  readonly kind: (typeof RISK_KINDS)[number];
  /** A statement without a full stop. */
  readonly fact: string;
  /** The flag that avoids it, or `--yes` where only consent helps. */
  readonly instead: string;
  /** The same for the answer to a program, which is not asked (aop:no-questions). */
  readonly note: string;
}

type RiskFacts = Pick<
  OrderPlan,
  'sandbox' | 'sandboxMissing' | 'git' | 'workspace' | 'workplace' | 'writePaths' | 'costsMoney' | 'budgetUsd'
>;

/** The risks of an order: no sandbox, no git, uncommitted changes where the agent writes, no cap on money. */
export function judgeRisks(plan: RiskFacts): readonly PlanRisk[] {
  const { sandbox, sandboxMissing, git, workspace, workplace, writePaths, costsMoney, budgetUsd } = plan;
  const why = sandboxMissing === null ? '' : ` (${sandboxMissing})`;
  const dirty = workplace === 'in-place' && writePaths.length > 0 ? (git?.changedFiles ?? 0) : 0;
  const risks: readonly (PlanRisk | false)[] = [
    sandbox === 'none' && {
      kind: 'no-sandbox',
      fact: `there is no sandbox${why}`,
      instead: '--yes',
      note: `not sandboxed${why}`,
    },
    // Another node has a copy: nothing here changes before it is applied.
    git === null &&
      workplace !== 'elsewhere' && {
        kind: 'no-git',
        fact: `${workspace} is not in git, so the work cannot be undone`,
        instead: '--yes',
        note: `${workspace} is not in git: changes there cannot be undone`,
      },
    dirty > 0 && {
      kind: 'dirty-tree',
      fact: `${dirty === 1 ? '1 file has' : `${dirty} files have`} uncommitted changes in ${workspace}`,
      instead: '--worktree',
      note: `uncommitted files before the run: ${dirty}; the agent may have changed them too`,
    },
    costsMoney &&
      budgetUsd === null && {
        kind: 'no-cap',
        fact: 'no spending limit is set',
        instead: '--budget 5',
        note: 'no cost limit was set',
      },
  ];
  return risks.filter((risk) => risk !== false);
}

/** The risks of a further round: its cap is as before, and uncommitted changes are its own work. */
export function judgeFurtherRisks(plan: RiskFacts): readonly PlanRisk[] {
  return judgeRisks(plan).filter(({ kind }) => kind === 'no-sandbox' || kind === 'no-git');
}

/** The risks of all tasks of a session, each kind once. The cap of a session bounds each of its tasks. */
export function judgeSessionRisks(plans: readonly RiskFacts[], costUsdMax: number | null): readonly PlanRisk[] {
  const risks = plans.flatMap((plan) => judgeRisks({ ...plan, budgetUsd: plan.budgetUsd ?? costUsdMax }));
  return RISK_KINDS.flatMap((kind) => risks.find((risk) => risk.kind === kind) ?? []);
}
