import type { CheckedFile, ReceiptFacts } from '../../checks/receipt.ts';
import { type Execution, lastCommit, spentBy } from '../../domain/execution/execution.ts';
import type { OpenOrder } from '../order-steps.ts';

export interface ReceiptAbout {
  readonly agent: { readonly name: string; readonly provider: string; readonly model: string };
  readonly startedAt: number;
  readonly completedAt: number;
  readonly files: readonly CheckedFile[];
  readonly leftOut: number;
  readonly batonVersion: string;
}

/** What a receipt says of an order: only what Baton itself found, and the agent's claim as a claim. */
export function receiptFacts({ task, execution }: OpenOrder, about: ReceiptAbout): ReceiptFacts {
  const { order, outcome, snapshotted, admitted, attempts } = execution;
  const last = attempts.findLast(({ runId }) => runId !== null);
  const claim = last?.end?.kind === 'finished' || last?.end?.kind === 'failed' ? last.end.claim : null;
  return {
    task: task.id,
    run: last?.runId ?? '',
    agent: about.agent.name,
    provider: about.agent.provider,
    model: about.agent.model,
    workspace: order.workspaceRoot,
    commitBefore: snapshotted?.commit ?? null,
    commitAfter: lastCommit(execution),
    startedAt: new Date(about.startedAt).toISOString(),
    endedAt: new Date(about.completedAt).toISOString(),
    sandbox: admitted?.sandbox ?? 'none',
    network: order.access.network,
    checksBefore: snapshotted?.made ?? [],
    checksAfter: last?.verified?.made ?? [],
    files: about.files,
    filesLeftOut: about.leftOut,
    cost: costOf(execution),
    verdict: {
      signal: outcome?.signal ?? 'FAILURE',
      isChecked: outcome?.signal === 'SUCCESS',
      message: outcome?.message ?? '',
    },
    claim: claim && { signal: claim.signal, message: claim.message },
    batonVersion: about.batonVersion,
  };
}

function costOf(execution: Execution): ReceiptFacts['cost'] {
  const { costUsd: usd, tokens } = spentBy(execution);
  return { usd, tokens, reported: usd > 0 || tokens > 0 ? 'at-end' : 'never' };
}
