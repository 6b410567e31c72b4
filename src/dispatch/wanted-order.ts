/** What somebody wants done, as it came in. */
export interface WantedOrder {
  readonly text: string;
  readonly workspace: string;
  readonly agent: string | null;
  readonly checks: readonly string[];
  readonly timeoutSeconds: number | null;
  readonly budgetUsd: number | null;
  readonly hosts: readonly string[];
  readonly wantsWorktree: boolean;
  readonly origin: string;
}
