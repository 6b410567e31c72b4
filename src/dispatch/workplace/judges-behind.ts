import { judgesNamedBy, judgesNamedIn } from '../../domain/decisions/find-judging-files.ts';
import type { MadeCheck } from '../../domain/execution/check-result.ts';
import { JUDGE_BYTES_MAX, JUDGES_BEHIND_MAX } from '../../domain/limits.ts';
import { readCommitted } from '../../workspace/read-committed.ts';
import type { ShadowPlace } from '../../workspace/shadow/private-repository.ts';

interface JudgeQuestion {
  readonly made: readonly MadeCheck[];
  /** The commit from before the work. */
  readonly before: string;
  /** A path of the workspace, from the root of the repository. */
  fromRoot(path: string): string;
}

/** The files behind those that the checks name, as they were before the work: scripts of scripts, and data that they read. */
export async function judgesBehind(
  shadows: ShadowPlace,
  { made, before, fromRoot }: JudgeQuestion,
): Promise<readonly string[]> {
  const found = new Set(judgesNamedBy(made));
  for (const path of found) {
    if (found.size > JUDGES_BEHIND_MAX) break;
    const text = await readCommitted(shadows, { commit: before, path: fromRoot(path), bytesMax: JUDGE_BYTES_MAX });
    for (const name of text === null ? [] : judgesNamedIn(path, text)) found.add(name);
  }
  return [...found];
}
