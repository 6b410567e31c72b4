/** One promise of the issue beside what was measured. */
export interface Judgement {
  readonly what: string;
  /** Null where it could not be measured; `note` says why. */
  readonly got: number | null;
  readonly bound: number;
  readonly sense: 'at least' | 'at most';
  readonly unit: string;
  /** An aim that is missed is told; a bound that is broken fails the bench. */
  readonly weight: 'bound' | 'aim';
  readonly note?: string;
}

export function isKept({ got, bound, sense }: Judgement): boolean {
  if (got === null) return true;
  return sense === 'at least' ? got >= bound : got <= bound;
}

export function isBroken(judgement: Judgement): boolean {
  return judgement.weight === 'bound' && !isKept(judgement);
}

export function describeJudgement(judgement: Judgement): readonly string[] {
  const { what, got, bound, sense, unit, weight, note } = judgement;
  const verdict = got === null ? 'not measured' : isKept(judgement) ? 'kept' : weight === 'aim' ? 'missed' : 'BROKEN';
  const measured = got === null ? (note ?? '') : `${format(got)}${unit}`;
  return [what, measured, `${sense} ${format(bound)}${unit}`, weight, verdict];
}

export function format(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
