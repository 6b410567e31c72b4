import { PRIOR_FILES_MAX, PRIOR_RESULTS_MAX } from '../../domain/limits.ts';
import { type PriorResult, summaryOf } from '../../domain/order/prior-result.ts';
import { ARTIFACT_STATUSES, FINAL_SIGNALS } from './words.ts';

/** The results of tasks that a TASK waited for, as an object each, for a program that reads fields. */
export function encodePriorResults(results: readonly PriorResult[], hasDetails: boolean): readonly object[] {
  return results.slice(0, PRIOR_RESULTS_MAX).map((result) => ({
    task_id: result.member,
    task: result.task,
    relation: result.isChild ? 'child' : 'dependency',
    agent: result.agent,
    final_signal: FINAL_SIGNALS[result.verdict],
    unchecked: result.verdict === 'unchecked',
    in_files: result.isInFiles,
    receipt: result.receipt,
    ...(hasDetails && {
      summary: summaryOf(result),
      files: result.files
        .slice(0, PRIOR_FILES_MAX)
        .map(({ path, status }) => ({ path, status: ARTIFACT_STATUSES[status] })),
    }),
    ...(result.files.length > PRIOR_FILES_MAX && { files_left_out: result.files.length - PRIOR_FILES_MAX }),
  }));
}
