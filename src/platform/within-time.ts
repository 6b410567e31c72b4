import { runInNewContext } from 'node:vm';

/** The value that `work` returns, or null if it took longer. The work must leave nothing half done. */
export function withinTime<Value>(work: () => Value, milliseconds: number): { readonly value: Value } | null {
  try {
    return { value: runInNewContext('work()', { work }, { timeout: milliseconds }) as Value };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return null;
  }
}
