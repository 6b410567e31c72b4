import { pairCheckpoints } from '../../domain/decisions/pair-checkpoints.ts';
import { type Attempt, type Execution, lastRun } from '../../domain/execution/execution.ts';
import type { CheckResult } from '../../domain/execution/fact.ts';
import type { Checkpoint } from '../../domain/order.ts';
import type { ResponseMessage } from './schema/response.ts';

type CheckpointResult = NonNullable<ResponseMessage['checkpoint_results']>[number];

/** Baton's own findings about the last attempt, in the order of the phases. */
export function checkpointResultsOf(execution: Execution): CheckpointResult[] {
  const last = lastRun(execution);
  const pairs = pairCheckpoints(execution.order, last?.verified?.results ?? []);
  return pairs.map(({ checkpoint, found }) => (found ? judged(checkpoint, found) : pending(checkpoint, last)));
}

function judged(checkpoint: Checkpoint, found: CheckResult): CheckpointResult {
  const { command, exitCode, message, tail } = found;
  const ran =
    command === null ? [] : [`${command} → ${exitCode === null ? 'did not end by itself' : `exit ${exitCode}`}`];
  return {
    checkpoint_id: checkpoint.id,
    status: statusOf(checkpoint, found),
    validation_output: tail === '' ? message : tail,
    evidence: [...ran, message],
    notes: notesOf(checkpoint, found),
  };
}

/** SKIP by its strategy, or because it has neither artifact nor validation. */
function statusOf({ onFailure }: Checkpoint, { result }: CheckResult): CheckpointResult['status'] {
  if (result === 'passed') return 'PASS';
  return result === 'not-checkable' || onFailure === 'SKIP' ? 'SKIP' : 'FAIL';
}

function notesOf({ description, onFailure }: Checkpoint, { result }: CheckResult): string {
  switch (result) {
    case 'passed':
      return `checked by Baton: ${description}`;
    case 'not-checkable':
      return `not checked, it has neither artifact nor validation: ${description}`;
    case 'could-not-run':
      return `could not be checked, so it does not count as passed (${onFailure}): ${description}`;
    case 'failed':
      return `not passed (${onFailure}): ${description}`;
  }
}

function pending({ id, description }: Checkpoint, attempt: Attempt | null): CheckpointResult {
  const why = attempt === null ? 'nothing was run' : 'the run ended before it was verified';
  const notes = `not verified, ${why}: ${description}`;
  return { checkpoint_id: id, status: 'PENDING', validation_output: null, evidence: [], notes };
}
