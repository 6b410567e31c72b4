import { onStopSignal } from '../../platform/own-process.ts';
import { printWarning } from '../output/print.ts';

const EXIT_STOPPED = 130;

/** Ctrl-C stops the run of a task; a second Ctrl-C exits at once. Returns a function that removes the handler. */
export function stopOnSignal(task: string, stop: () => void): () => void {
  let isAsked = false;
  return onStopSignal(() => {
    if (isAsked) leave(task);
    isAsked = true;
    printWarning(`stopping ${task}; press Ctrl-C again to exit at once`);
    stop();
  });
}

/** Child processes end with this one. The next command records what they left, and settles the order. */
function leave(task: string): never {
  printWarning(`${task} was ended at once; its work so far stays in the files: baton task show ${task}`);
  process.exit(EXIT_STOPPED);
}
