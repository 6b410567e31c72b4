import { noteRun, type RunNote } from '../../operations/note-run.ts';
import { faultFacts } from '../../platform/logger.ts';
import type { RunAtHand } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { showProgress } from './show-progress.ts';

/** Tells the log what people want to see of a run. Nothing waits for it, and nothing depends on it. */
export function runNotes({ ledger, log, clock }: RunWorld, { task, runId }: RunAtHand) {
  const note = (type: RunNote['type'], payload: RunNote['payload']): void => {
    ledger.submit(noteRun, { taskId: task.id, runId, type, payload }).catch((error: unknown) => {
      log.log('run.note_failed', { task: task.id, ...faultFacts(error) });
    });
  };
  return { note, show: showProgress(clock, (progress) => note('run.progressed', { ...progress })) };
}
