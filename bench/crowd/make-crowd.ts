// Fills a ledger with lives that are over, and a few that are not: make-crowd.ts FOLDER TASKS.
import { isRefusal } from '../../src/domain/refusal.ts';
import { moveTask } from '../../src/operations/task/move-task.ts';
import { callConcurrently } from '../contest/call-concurrently.ts';
import { openLedger } from '../life/open-ledger.ts';
import { createOne, playLife } from '../life/play-life.ts';

/** Ready tasks among all finished ones. */
const READY = 20;

const [folder, tasks] = process.argv.slice(2);
if (folder === undefined || tasks === undefined) throw new Error('make-crowd.ts FOLDER TASKS');
const ledger = openLedger(folder);
await callConcurrently(Number(tasks) - READY, () => playLife(ledger));
await callConcurrently(READY, async () => {
  const { id: taskId } = await createOne(ledger);
  const moved = await ledger.submit(moveTask, { taskId, to: 'ready', actor: 'operator', reason: null });
  if (isRefusal(moved)) throw new Error(moved.message);
});
ledger.close();
process.stdout.write('{}');
