import { QUESTION_TIMEOUT_SECONDS_DEFAULT } from '../limits.ts';
import type { Checkpoint, ExpectedOutput, Order, OrderSettings, Target, Validation } from '../order/order.ts';
import { kernelWord } from '../words/kernel-word.ts';
import type { MadeCheck } from './check-result.ts';
import type { Fact, VersionFallback } from './fact.ts';
import { fromVersion5 } from './lift-codes.ts';
import { fromVersion4 } from './lift-verdicts.ts';

/** The version that facts are written in. */
const FACT_VERSION = 6;

/** A fact as the ledger stores it. Facts without a version are of version 1. */
export type StoredFact = Fact & { readonly v: typeof FACT_VERSION };

export function storedFact(fact: Fact): StoredFact {
  return { v: FACT_VERSION, ...fact };
}

/** A fact of any version as the kernel reads it today. */
export function liftFact(stored: { readonly v?: number }): Fact {
  const { v = 1, ...fact } = stored;
  if (v > FACT_VERSION) throw new Error(`a fact of version ${v} is from a newer Baton`);
  return LIFTS.slice(v - 1).reduce((lifted, lift) => lift(lifted), fact as Fact);
}

/** From each version to the next. */
const LIFTS: readonly ((fact: Fact) => Fact)[] = [fromVersion1, fromVersion2, fromVersion3, fromVersion4, fromVersion5];

/** Version 2 read these settings again whenever an agent started; the built-in ones stand for them. */
function fromVersion2(fact: Fact): Fact {
  return fact.kind === 'ordered' ? { ...fact, order: { ...fact.order, settings: BUILT_IN_SETTINGS } } : fact;
}

const BUILT_IN_SETTINGS: OrderSettings = {
  onQuota: { usual: 'wait', ofAgent: {} },
  prices: {},
  questionTimeoutMs: QUESTION_TIMEOUT_SECONDS_DEFAULT * 1_000,
};

/**
 * Version 1 left out what was not known. Its messages of AOP (in `admitted`, `rolled-back`, `reported` and claims) are
 * translated once, when the ledger is opened: they need a codec.
 */
function fromVersion1(fact: Fact): Fact {
  switch (fact.kind) {
    case 'snapshotted':
      return { ...UNKNOWN_SNAPSHOT, ...fact };
    case 'verified':
      return { ...UNKNOWN_VERIFICATION, ...fact };
    case 'settled':
      return { ...UNKNOWN_SETTLEMENT, ...fact };
    default:
      return fact;
  }
}

const UNKNOWN_SNAPSHOT = { checkedCommit: null, head: null, made: [], outputs: [] };
const UNKNOWN_VERIFICATION = { made: [], commit: null };
const UNKNOWN_SETTLEMENT = { keepsFiles: false };

/** Facts up to version 3 spell expectations, strategies, triggers and reactions as AOP does. */
function fromVersion3(fact: Fact): Fact {
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
