import { onStopSignal } from '../../platform/stop-signals.ts';
import { printWarning } from '../output/print.ts';

const EXIT_STOPPED = 130;

/** Ctrl-C stops a task's run in order, and once more leaves it at once. Answers with what lets signals be as they were. */
export function stopOnSignal(task: string, stop: () => void): () => void {
  let isAsked = false;
  return onStopSignal(() => {
    if (isAsked) leave(task);
    isAsked = true;
    printWarning(`stopping ${task}; Ctrl-C again leaves at once`);
    stop();
  });
}

/** What this process started ends with it. The last word on the order is left to the next node. */
function leave(task: string): never {
  printWarning(`left ${task} as it is; baton stop ${task} says the last word on it`);
  process.exit(EXIT_STOPPED);
}
