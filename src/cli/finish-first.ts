import { onStopSignal } from '../platform/process/own-process.ts';
import { systemTimer } from '../platform/timer.ts';
import { printAside, printWarning } from './output/print.ts';

const EXIT_STOPPED = 130;
/** A change that takes longer gives a sign of life. */
const SILENT_MS_MAX = 2_000;

/**
 * Finishes a change of the user's files although Ctrl-C is pressed: half of an undo would be neither state. A second Ctrl-C
 * exits at once, and says how to finish.
 */
export async function finishFirst<Answer>(what: string, change: Promise<Answer>): Promise<Answer> {
  let isAsked = false;
  const removeHandler = onStopSignal(() => {
    if (isAsked) {
      printWarning(`the ${what} is half done; the same command finishes it`);
      process.exit(EXIT_STOPPED);
    }
    isAsked = true;
    printWarning(`the ${what} is finished first; press Ctrl-C again to leave it half done`);
  });
  const cancel = systemTimer().after(SILENT_MS_MAX, () => printAside(`the ${what} is at work …`));
  try {
    return await change;
  } finally {
    cancel();
    removeHandler();
  }
}
