/** A turn of a run, as far as the detector reads it. */
export interface SeenTurn {
  readonly index: number;
  readonly observation: string;
  /** 0 to 1. */
  readonly confidence: number;
}

/** A sign that a run goes nowhere, with its evidence, and what follows from it. */
export type Entropy =
  /** The agent is asked for another approach. */
  | { readonly rule: 'repetition'; readonly action: 'pivot'; readonly turns: readonly number[] }
  /** The task gets a higher priority, and people are told. */
  | {
      readonly rule: 'confidence';
      readonly action: 'escalate';
      readonly turns: readonly number[];
      readonly confidence: readonly number[];
    }
  /** The task waits for a person. */
  | { readonly rule: 'failures'; readonly action: 'pause'; readonly failedTurns: number };

/** `notify` has no effect but its event and a notice. */
export const ENTROPY_ACTIONS = ['notify', 'pivot', 'escalate', 'pause'] as const;
export type EntropyAction = (typeof ENTROPY_ACTIONS)[number];
/** The action on each sign; where it names none, the sign's own one counts. */
export type EntropyPolicy = Readonly<Partial<Record<Entropy['rule'], EntropyAction | undefined>>>;

const EQUAL_OBSERVATIONS = 3;
const FALLS_IN_A_ROW = 3;
const LOW_CONFIDENCE = 0.5;
const DEEP_FALL = 0.4;
const DEEP_FALL_TURNS = 4;
const FAILED_TURNS_MAX = 5;

/** Turns that the detector needs before the newest one. */
export const TURNS_COMPARED = 5;

/** saop:entropy: the signs that the newest of the turns completes, oldest turn first. A sign that lasts is found once. */
export function detectEntropy(turns: readonly SeenTurn[]): readonly Entropy[] {
  return [...repetition(turns), ...fallingConfidence(turns)];
}

function repetition(turns: readonly SeenTurn[]): readonly Entropy[] {
  const newest = turns.at(-1);
  if (newest === undefined || newest.observation.trim() === '') return [];
  const before = turns.findLastIndex(({ observation }) => observation !== newest.observation);
  const equal = turns.slice(before + 1);
  if (equal.length !== EQUAL_OBSERVATIONS) return [];
  return [{ rule: 'repetition', action: 'pivot', turns: indexesOf(equal) }];
}

function fallingConfidence(turns: readonly SeenTurn[]): readonly Entropy[] {
  const fall = fallAt(turns);
  if (fall === null || fallAt(turns.slice(0, -1)) !== null) return [];
  const confidence = fall.map((turn) => turn.confidence);
  return [{ rule: 'confidence', action: 'escalate', turns: indexesOf(fall), confidence }];
}

/** The turns of a fall that ends with the newest one; null without one. */
function fallAt(turns: readonly SeenTurn[]): readonly SeenTurn[] | null {
  const last = turns.at(-1);
  if (last === undefined) return null;
  const row = turns.slice(-(FALLS_IN_A_ROW + 1));
  const falls = row.length > FALLS_IN_A_ROW && row.every((turn, at) => isLower(turn, row[at - 1]));
  if (falls && last.confidence < LOW_CONFIDENCE) return row;
  const within = turns.slice(-DEEP_FALL_TURNS);
  const highest = within.findLastIndex(({ confidence }) => hundredths(confidence - last.confidence) >= DEEP_FALL);
  return highest < 0 ? null : within.slice(highest);
}

function isLower(turn: SeenTurn, before: SeenTurn | undefined): boolean {
  return before === undefined || turn.confidence < before.confidence;
}

/** 0.9 - 0.5 is a little less than 0.4 in binary fractions. */
function hundredths(number: number): number {
  return Math.round(number * 1e6) / 1e6;
}

function indexesOf(turns: readonly SeenTurn[]): readonly number[] {
  return turns.map(({ index }) => index);
}

/** A step of a run: a turn, or the end of a tool call. */
export type SeenStep = { readonly kind: 'turn' } | { readonly kind: 'return'; readonly isSuccess: boolean };

/**
 * Whether the newest step, a failed tool call, makes the fifth failed turn in a row. A turn failed if a call between it and
 * the turn before did. Newest first.
 */
export function detectFailures(steps: readonly SeenStep[]): Entropy | null {
  const [newest, ...before] = steps;
  if (newest?.kind !== 'return' || newest.isSuccess) return null;
  let failed = 1;
  let hasFailed = false;
  let isFirst = true;
  for (const step of before) {
    if (step.kind === 'return') {
      // An earlier failure of the same turn was counted when it happened.
      if (isFirst && !step.isSuccess) return null;
      hasFailed ||= !step.isSuccess;
      continue;
    }
    if (!isFirst && !hasFailed) break;
    if (!isFirst) failed++;
    isFirst = false;
    hasFailed = false;
  }
  if (!isFirst && hasFailed) failed++;
  return failed === FAILED_TURNS_MAX ? { rule: 'failures', action: 'pause', failedTurns: failed } : null;
}
