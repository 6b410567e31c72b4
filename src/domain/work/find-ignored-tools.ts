import type { MadeCheck } from '../execution/check-result.ts';
import { NOT_TOOLS, TOOL_FOLDERS } from './find-added-judges.ts';
import type { IgnoredChange } from './ignored-files.ts';

/**
 * Files that git ignores or that a nested repository has, that were there before the work, that it changed, and that a check runs through: the check may have passed
 * because of them. New ones are another question (find-added-judges.ts).
 */
export function findIgnoredTools(made: readonly MadeCheck[], changes: readonly IgnoredChange[]): readonly string[] {
  const words = made.flatMap(({ argv }) => argv ?? []).map((word) => word.replace(/^(\.\/+)+/, ''));
  if (words.length === 0) return [];
  // Paths are from the root of the repository, words from the workspace.
  const isNamed = (path: string) => words.some((word) => path === word || path.endsWith(`/${word}`));
  const isTool = (path: string) => TOOL_FOLDERS.test(path) && !NOT_TOOLS.test(path);
  return changes
    .filter(({ change, files }) => change === 'changed' && files > 0)
    .flatMap(({ path, files, examples = [path], repository }) => {
      // The code of a nested repository is the work itself, also where it lies in `vendor`.
      const inside = (name: string) => (repository === undefined ? name : name.slice(repository.length));
      const isRun = (name: string) => isTool(inside(name)) || isNamed(name);
      return [...examples, ...(files > examples.length ? [path] : [])].filter(isRun);
    });
}
