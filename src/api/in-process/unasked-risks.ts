import type { OrderPlan } from '../order-contract.ts';

/** What a person would be asked: of a program's order, which is asked nothing, it stands in the answer. */
export function unaskedRisks({ isProgram, git, workspace, workplace, ...plan }: OrderPlan): readonly string[] {
  if (!isProgram) return [];
  const isDirty = workplace === 'in-place' && plan.writePaths.length > 0 && (git?.changedFiles ?? 0) > 0;
  return [
    ...(git === null ? [`${workspace} is not in git: what is done there cannot be undone`] : []),
    ...(isDirty ? [`files changed before the run and not committed: ${git?.changedFiles}; it worked among them`] : []),
    ...(plan.costsMoney && plan.budgetUsd === null ? ['no cap on money was set'] : []),
  ];
}
