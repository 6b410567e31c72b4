import type { MadeCheck } from '../execution/check-result.ts';
import type { IgnoredChange } from '../ignored-files.ts';

/** Folders of installed programs and libraries, through which checks run. */
const TOOL_FOLDERS = /(^|\/)(node_modules|\.venv|venv|vendor|\.tox|\.nox|\.bundle|site-packages)\//;
/** Written by installing, building and testing; nothing in them is run as a check. */
const NOT_TOOLS =
  /(^|\/)(\.cache|\.vite|\.vitest|__pycache__)\/|(^|\/)(\.package-lock\.json|\.yarn-integrity|\.modules\.yaml)$/;

/**
 * Ignored files that were there before the work, that it changed, and that a check runs through: the check may have passed
 * because of them. New files are welcome.
 */
export function findIgnoredTools(made: readonly MadeCheck[], changes: readonly IgnoredChange[]): readonly string[] {
  const words = made.flatMap(({ argv }) => argv ?? []).map((word) => word.replace(/^(\.\/+)+/, ''));
  if (words.length === 0) return [];
  // Paths are from the root of the repository, words from the workspace.
  const isNamed = (path: string) => words.some((word) => path === word || path.endsWith(`/${word}`));
  const isRun = (path: string) => (TOOL_FOLDERS.test(path) && !NOT_TOOLS.test(path)) || isNamed(path);
  return changes
    .filter(({ change }) => change === 'changed')
    .flatMap(({ path, files, examples = [path] }) =>
      [...examples, ...(files > examples.length ? [path] : [])].filter(isRun),
    );
}
