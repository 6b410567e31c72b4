import { QUESTION_TIMEOUT_SECONDS_DEFAULT } from '../limits.ts';
import type { OrderSettings } from '../order.ts';
import type { Fact } from './fact.ts';
import { fromVersion3 } from './lift-words.ts';

/** The version that facts are written in. */
const FACT_VERSION = 4;

/** A fact as the ledger stores it. Facts without a version are of version 1. */
export type StoredFact = Fact & { readonly v: typeof FACT_VERSION };

export function storedFact(fact: Fact): StoredFact {
  return { v: FACT_VERSION, ...fact };
}

/** A fact of any version as the kernel reads it today. */
export function liftFact(stored: { readonly v?: number }): Fact {
  const { v = 1, ...fact } = stored;
  if (v > FACT_VERSION) throw new Error(`a fact of version ${v} is from a newer Baton`);
  if (v === FACT_VERSION) return fact as Fact;
  const spelled = v === 3 ? (fact as Fact) : fromVersion2(v === 1 ? fromVersion1(fact as Fact) : (fact as Fact));
  return fromVersion3(spelled);
}

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
