import { kernelWord } from '../kernel-word.ts';
import type { Checkpoint, ExpectedOutput, Order, Target, Validation } from '../order.ts';
import type { MadeCheck } from './check-result.ts';
import type { Fact, VersionFallback } from './fact.ts';

/** Facts up to version 3 spell expectations, strategies, triggers and reactions as AOP does. */
export function fromVersion3(fact: Fact): Fact {
  switch (fact.kind) {
    case 'ordered': {
      const { order, notes } = fact;
      return { ...fact, order: liftOrder(order), ...(notes && { notes: withReason(notes) }) };
    }
    case 'admitted':
      return { ...withReason(fact), ...(fact.agents && { agents: fact.agents.map(withVersions) }) };
    case 'launched':
      return fact.fallback ? { ...fact, fallback: liftFallback(fact.fallback) } : fact;
    case 'snapshotted': {
      const files = fact.files.map((file) => ({ ...file, strategy: kernelWord(file.strategy) }));
      return { ...fact, files, made: fact.made.map(withExpects) };
    }
    case 'verified':
      return { ...fact, made: fact.made.map(withExpects) };
    default:
      return fact;
  }
}

function liftOrder(order: Order): Order {
  const { policy } = order;
  const heartbeat = { ...policy.heartbeat, onFailure: kernelWord(policy.heartbeat.onFailure) };
  return {
    ...order,
    target: withVersions(order.target),
    outputs: order.outputs.map(liftOutput),
    phases: order.phases.map((phase) => ({ ...phase, checkpoints: phase.checkpoints.map(liftCheckpoint) })),
    policy: { ...policy, onFailure: kernelWord(policy.onFailure), heartbeat },
    alternatives: order.alternatives.map((each) => ({ ...each, trigger: kernelWord(each.trigger) })),
  };
}

function liftOutput(output: ExpectedOutput): ExpectedOutput {
  const { validation, snapshot } = output;
  return {
    ...output,
    validation: validation && withExpects(validation),
    snapshot: snapshot && { ...snapshot, strategy: kernelWord(snapshot.strategy) },
  };
}

function liftCheckpoint(checkpoint: Checkpoint): Checkpoint {
  const { artifacts, validation, onFailure } = checkpoint;
  return {
    ...checkpoint,
    artifacts: artifacts.map(liftOutput),
    validation: validation && withExpects(validation),
    onFailure: kernelWord(onFailure),
  };
}

function withExpects<Checked extends Validation | MadeCheck>(checked: Checked): Checked {
  return { ...checked, expects: kernelWord(checked.expects) };
}

function withVersions<Reader extends Pick<Target, 'versionsRead'>>(reader: Reader): Reader {
  const { aopVersions = null, ...rest } = reader as Reader & { readonly aopVersions?: readonly string[] | null };
  return { ...rest, versionsRead: aopVersions } as unknown as Reader;
}

function withReason<Noted extends { readonly fallback: VersionFallback | null }>(noted: Noted): Noted {
  return noted.fallback ? { ...noted, fallback: liftFallback(noted.fallback) } : noted;
}

function liftFallback(fallback: VersionFallback): VersionFallback {
  const isInvalid = (fallback.reason as string) === 'V2_SCHEMA_VALIDATION_FAILED';
  return { ...fallback, reason: isInvalid ? 'invalid-message' : 'unread-version' };
}
