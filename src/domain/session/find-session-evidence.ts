import type { ReviewedWork } from '../review/judge-review-risk.ts';
import { findJudgingFiles } from '../work/find-judging-files.ts';
import { findOutsideFiles } from '../work/find-outside-files.ts';
import { EVIDENCE_KINDS, type SessionEvidence } from './session-report.ts';

/** The work of one task of a session; null where Baton knows nothing of it. */
export interface MemberWork {
  readonly member: string;
  readonly work: ReviewedWork | null;
}

/** Everything in the work of a session that its checks do not settle, in one list, riskiest first, each with its task. */
export function findSessionEvidence(works: readonly MemberWork[]): readonly SessionEvidence[] {
  const found = works.flatMap(({ member, work }) => (work === null ? [] : evidenceOf(member, work)));
  const rankOf = ({ kind }: SessionEvidence) => EVIDENCE_KINDS.indexOf(kind);
  return found.sort((a, b) => rankOf(a) - rankOf(b));
}

function evidenceOf(member: string, work: ReviewedWork): readonly SessionEvidence[] {
  const { violations, checks, objective, outputs, files } = work;
  const unrun = checks.filter(({ after }) => after === 'could-not-run').map(({ id }) => id);
  const written = new Set(violations);
  const outside = findOutsideFiles(
    objective,
    outputs,
    files.map(({ path }) => path),
  ).filter((path) => !written.has(path));
  const all: readonly SessionEvidence[] = [
    { kind: 'forbidden-write', member, text: 'written without a grant', details: violations },
    ...testsOf(member, work),
    { kind: 'check-not-run', member, text: 'these checks could not run', details: unrun },
    { kind: 'outside-objective', member, text: 'the objective names none of these files', details: outside },
  ];
  return all.filter(({ details }) => details.length > 0);
}

/** Tests, and other files that its checks read, that were there before the work. */
function testsOf(member: string, { oldTests, files, outputs }: ReviewedWork): readonly SessionEvidence[] {
  const expected = outputs.map((path) => ({ type: 'FILE', path }));
  const changed =
    oldTests?.files ?? findJudgingFiles({ made: [], changed: files, outputs: expected, workspaceRoot: '/' });
  if (oldTests?.result === 'failed') {
    return [{ kind: 'tests-weakened', member, text: 'the checks fail with these files as before', details: changed }];
  }
  const gone = new Set(files.filter(({ status }) => status === 'deleted').map(({ path }) => path));
  const proof = oldTests?.result === 'passed' ? 'the checks pass with them as before, too' : 'not compared with before';
  return [
    { kind: 'tests-removed', member, text: proof, details: changed.filter((path) => gone.has(path)) },
    { kind: 'tests-changed', member, text: proof, details: changed.filter((path) => !gone.has(path)) },
  ];
}
