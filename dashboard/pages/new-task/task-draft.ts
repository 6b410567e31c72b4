import type { RequestOf } from '../../../src/api/node-client.ts';

/** The form as it is typed. */
export interface Draft {
  readonly text: string;
  readonly agent: string;
  /** One command a line. */
  readonly checks: string;
  readonly budgetUsd: string;
  readonly minutes: string;
  readonly retries: string;
  readonly isWorktree: boolean;
  readonly isReviewed: boolean;
}

export const EMPTY_DRAFT: Draft = {
  text: '',
  agent: '',
  checks: '',
  budgetUsd: '',
  minutes: '',
  retries: '',
  isWorktree: true,
  isReviewed: true,
};

/** The order that the form asks for; what is empty is left to the configuration. */
export function orderOf(draft: Draft, workspace: string): RequestOf<'submitOrder'> {
  const checks = draft.checks
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const amount = (text: string) => (text.trim() === '' ? null : Number(text));
  const [budgetUsd, minutes, retries] = [amount(draft.budgetUsd), amount(draft.minutes), amount(draft.retries)];
  return {
    text: draft.text.trim(),
    workspace,
    ...(draft.agent !== '' && { agent: draft.agent }),
    ...(checks.length > 0 && { checks }),
    ...(budgetUsd !== null && { budgetUsd }),
    ...(minutes !== null && { timeoutSeconds: Math.max(1, Math.round(minutes * 60)) }),
    ...(retries !== null && { retries: Math.round(retries) }),
    worktree: draft.isWorktree,
    reviewRequired: draft.isReviewed,
    origin: 'API',
  };
}
