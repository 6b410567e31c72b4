import type { OrderPlan } from '../../api/order-contract.ts';

/** Something that a person has to agree to before the work begins. */
export interface Question {
  readonly kind: 'no-sandbox' | 'no-git' | 'dirty-tree' | 'no-cap' | 'suggested-checks';
  readonly text: string;
  /** What to give on the command line instead of an answer. */
  readonly instead: string;
}

/** product.md: asked only where there is no sandbox, no git, a dirty tree in place, or no cap on money. */
export function questionsOf(plan: OrderPlan): readonly Question[] {
  if (plan.isProgram) return [];
  const questions: Question[] = [];
  if (plan.checks.length === 0 && plan.suggestedChecks.length > 0) {
    const checks = plan.suggestedChecks.map((check) => JSON.stringify(check)).join(', ');
    questions.push({
      kind: 'suggested-checks',
      text: `no check was named; this repository suggests ${checks}. Use it?`,
      instead: plan.suggestedChecks.map((check) => `--check ${JSON.stringify(check)}`).join(' '),
    });
  }
  if (plan.sandbox === 'none') {
    const why = plan.sandboxMissing === null ? '' : ` (${plan.sandboxMissing})`;
    questions.push({ kind: 'no-sandbox', text: `there is no sandbox${why}. Run it all the same?`, instead: '--yes' });
  }
  if (plan.git === null) {
    questions.push({
      kind: 'no-git',
      text: `${plan.workspace} is not in git, so there is no undo. Go on?`,
      instead: '--yes',
    });
  } else if (plan.workplace === 'in-place' && plan.git.changedFiles > 0) {
    const { changedFiles } = plan.git;
    const files = changedFiles === 1 ? '1 file of yours is' : `${changedFiles} files of yours are`;
    const text = `${files} changed and not committed. Work among them?`;
    questions.push({ kind: 'dirty-tree', text, instead: '--worktree' });
  }
  if (plan.costsMoney && plan.budgetUsd === null) {
    questions.push({ kind: 'no-cap', text: 'there is no cap on money. Go on without?', instead: '--budget 5' });
  }
  return questions;
}
