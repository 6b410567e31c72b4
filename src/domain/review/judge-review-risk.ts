import type { OldTests } from '../execution/findings.ts';
import { REVIEW_LARGE_FILES, REVIEW_LARGE_LINES } from '../limits.ts';
import { REVIEW_RISKS, type ReviewRisk } from '../task/attention.ts';
import { counted } from '../words/counted.ts';
import type { ComparedCheck } from '../work/compare-checks.ts';
import { findJudgingFiles } from '../work/find-judging-files.ts';
import { findOutsideFiles } from '../work/find-outside-files.ts';

/** The work of a task in review, as its report has it. */
export interface ReviewedWork {
  readonly objective: string;
  /** Paths that the order expects, from its workspace. */
  readonly outputs: readonly string[];
  readonly isUnchecked: boolean;
  /** Baton's own sentence about the result. */
  readonly message: string;
  readonly checks: readonly ComparedCheck[];
  readonly oldTests: OldTests | null;
  /** Changed files, from the workspace. */
  readonly files: readonly { readonly path: string; readonly status: 'created' | 'updated' | 'deleted' }[];
  /** Null where they were not counted. */
  readonly lines: { readonly added: number; readonly removed: number } | null;
  /** Written without a grant. */
  readonly violations: readonly string[];
}

export interface FoundRisk {
  readonly kind: ReviewRisk;
  /** The evidence in a few words. */
  readonly text: string;
}

/** The reasons to look closely at work, gravest first. Null is work that Baton knows nothing of. */
export function judgeReviewRisk(work: ReviewedWork | null): readonly FoundRisk[] {
  if (work === null) return [{ kind: 'unchecked', text: 'Baton ran no check' }];
  const texts: Readonly<Record<ReviewRisk, string | null>> = {
    unchecked: work.isUnchecked ? work.message : null,
    'tests weakened': weakenedTests(work),
    'large diff': isLarge(work) ? sizeText(work) : null,
    'outside the objective': outsideText(work),
  };
  return REVIEW_RISKS.flatMap((kind) => (texts[kind] === null ? [] : [{ kind, text: texts[kind] }]));
}

/** Tests from before the work that it changed, unless checks pass with the earlier ones as well. */
function weakenedTests({ oldTests, checks, files, outputs }: ReviewedWork): string | null {
  if (checks.length > 0 && (oldTests === null || oldTests.result === 'passed')) return null;
  const expected = outputs.map((path) => ({ type: 'FILE', path }));
  const changed =
    oldTests?.files ?? findJudgingFiles({ made: [], changed: files, outputs: expected, workspaceRoot: '/' });
  if (changed.length === 0) return null;
  return oldTests?.result === 'failed'
    ? `${listed(changed)} changed, and the checks fail without that`
    : listed(changed);
}

function isLarge({ files, lines }: ReviewedWork): boolean {
  return files.length >= REVIEW_LARGE_FILES || (lines !== null && lines.added + lines.removed >= REVIEW_LARGE_LINES);
}

function outsideText({ objective, outputs, files, violations }: ReviewedWork): string | null {
  const paths = files.map(({ path }) => path);
  const outside = [...new Set([...violations, ...findOutsideFiles(objective, outputs, paths)])];
  return outside.length === 0 ? null : listed(outside);
}

/** The size of a difference: `+120 -8 in 4 files`. */
export function sizeText({ files, lines }: Pick<ReviewedWork, 'files' | 'lines'>): string {
  const count = counted(files.length, 'file');
  return lines === null ? count : `+${lines.added} -${lines.removed} in ${count}`;
}

function listed(paths: readonly string[]): string {
  const [first = '', ...rest] = paths;
  return rest.length === 0 ? first : `${first} and ${rest.length} more`;
}
