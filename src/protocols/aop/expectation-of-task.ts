import type { Checkpoint, ExpectedOutput, Phase, Snapshot, Validation } from '../../domain/order.ts';
import type { TaskMessage } from './schema/task.ts';

type WirePhase = NonNullable<TaskMessage['phases']>[number];
type WireCheckpoint = NonNullable<WirePhase['checkpoints']>[number];
/** An output, and an artifact of a checkpoint, of which only the type is required. */
type WireOutput = NonNullable<WireCheckpoint['expected_artifacts']>[number];

export function outputOf({ type, path, description, validation, rollback_snapshot }: WireOutput): ExpectedOutput {
  return {
    type,
    path: path ?? null,
    description: description ?? '',
    validation: validationOf(validation),
    snapshot: snapshotOf(rollback_snapshot),
  };
}

export function phaseOf({ phase_id, label, objective, checkpoints }: WirePhase, position: number): Phase {
  return { id: phase_id, position, label, objective, checkpoints: (checkpoints ?? []).map(checkpointOf) };
}

function checkpointOf(checkpoint: WireCheckpoint): Checkpoint {
  return {
    id: checkpoint.checkpoint_id,
    description: checkpoint.description,
    artifacts: (checkpoint.expected_artifacts ?? []).map(outputOf),
    validation: validationOf(checkpoint.validation),
    // aop:checkpoints: without a strategy it aborts.
    onFailure: checkpoint.recovery_strategy ?? 'ABORT',
  };
}

function validationOf(validation: WireCheckpoint['validation']): Validation | null {
  return validation ? { command: validation.command, expects: validation.expects } : null;
}

/** An enabled snapshot without a strategy is a COPY; one of NONE keeps nothing. */
function snapshotOf(snapshot: WireOutput['rollback_snapshot']): Snapshot | null {
  if (!snapshot?.enabled || snapshot.snapshot_strategy === 'NONE') return null;
  return { strategy: snapshot.snapshot_strategy ?? 'COPY', path: snapshot.snapshot_path ?? null };
}
