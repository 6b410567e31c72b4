import type { RunWorld } from '../../dispatch/run-world.ts';
import { diffOf, type LeftWork } from '../../dispatch/work-of-task.ts';
import { workspaceInRepository } from '../../dispatch/workplace/order-paths.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { WorkspaceFault } from '../../workspace/workspace-fault.ts';
import type { Calls } from '../node-client.ts';
import type { DiffAnswer } from '../order-contract.ts';
import { type AboutWork, changeCalls } from './change-work-calls.ts';
import { cleanCall } from './clean-call.ts';
import { leftWork } from './order-records.ts';
import { reportOf } from './report-of-order.ts';
import { verifyAnswer } from './verify-answer.ts';

type WorkClient = Pick<
  Calls,
  'orderReport' | 'diffWork' | 'applyWork' | 'discardWork' | 'undoWork' | 'verifyWork' | 'clean'
>;

/** The work that an order left behind: reported, shown, applied, dropped, undone, checked again, cleaned up. */
export function workCalls(world: RunWorld): WorkClient {
  const about: AboutWork = async (reference, verb) => {
    const work = leftWork(world.ledger.read, reference);
    if (isRefusal(work)) return work;
    return await verb(work).catch((error) => refuseDamagedFiles(error, work.task.id) ?? refuseWorkspaceFault(error));
  };
  return {
    orderReport: ({ task }) => about(task, (work) => reportOf(world, work)),
    diffWork: ({ task }) => about(task, (work) => diffAnswer(world, work)),
    ...changeCalls(world, about),
    verifyWork: ({ task }) => about(task, (work) => verifyAnswer(world, work)),
    clean: (request = {}) => cleanCall(world, request).catch(refuseWorkspaceFault),
  };
}

async function diffAnswer(world: RunWorld, work: LeftWork): Promise<DiffAnswer | Refusal> {
  const diff = await diffOf(world, work);
  if (isRefusal(diff)) return diff;
  const files = diff.files.map(({ path, status, added, removed }) => ({ path, status, added, removed }));
  return {
    task: work.task.id,
    inside: workspaceInRepository(work.execution.order, work.execution.snapshotted?.repository),
    from: diff.before,
    to: diff.after,
    files,
    git: diff.git,
    ignored: diff.ignored,
    text: diff.text,
  };
}

/** Null for any other fault than an object that git cannot read. */
function refuseDamagedFiles(error: unknown, task: string): Refusal | null {
  if (!(error instanceof WorkspaceFault) || error.damagedObject === null) return null;
  const message = `the saved files of ${task} are damaged: the object ${error.damagedObject} is missing or torn`;
  const refusal = refuse('saved_files_damaged', message);
  return { ...refusal, hint: refusal.hint.replaceAll('TASK', task) };
}

/** Turns a failure of git or the disk into a refusal with its message. Anything else is a bug and is rethrown. */
export function refuseWorkspaceFault(error: unknown): Refusal {
  if (error instanceof WorkspaceFault) return refuse('workspace_failed', error.message);
  throw error;
}
