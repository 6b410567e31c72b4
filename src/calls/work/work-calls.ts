import { existsSync } from 'node:fs';
import type { Calls } from '../../api/node-client.ts';
import type { VerifyAnswer, WorkAnswer } from '../../api/order/order-contract.ts';
import { lastRun } from '../../domain/execution/execution.ts';
import { isRefusal, type Refusal, refuse, refuseTask } from '../../domain/refusal.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { applyOf } from '../../work/apply.ts';
import { type ApplyTurn, applyTurn, leftWork } from '../../work/left-work.ts';
import type { OverlapRadar } from '../../work/overlap-radar.ts';
import { verifyWork } from '../../work/place/check-work.ts';
import { presentExecution } from '../../work/recorded-workspace.ts';
import { undoOf } from '../../work/undo.ts';
import { branchOf, discardOf, type LeftWork, refuseExecuted, type WorkDone } from '../../work/work.ts';
import { WorkspaceFault } from '../../workspace/workspace-fault.ts';
import { diffAnswer, evidenceOfOrder } from '../order/evidence-of-order.ts';
import { reportOf } from '../order/report-of-order.ts';
import { cleanCall } from './clean-call.ts';
import { overlapsBefore } from './overlap-views.ts';
import { recordWorkAction, type WorkAction } from './record-work-action.ts';

interface WorkCallParts {
  readonly world: OrderWorld;
  readonly overlaps: OverlapRadar;
}

/** The work that an order left behind: reported, shown, applied, dropped, undone, checked again, cleaned up. */
export function workCalls(parts: WorkCallParts, inTurn: ApplyTurn = applyTurn) {
  const { world } = parts;
  const about: AboutWork = async (reference, verb) => {
    const work = leftWork(world.ledger.read, reference);
    if (isRefusal(work)) return work;
    return await verb(work).catch((error) => refuseDamagedFiles(error, work.task.id) ?? refuseWorkspaceFault(error));
  };
  return {
    orderReport: ({ task }) => about(task, (work) => reportOf(world, work)),
    diffWork: ({ task, file, list = false }) =>
      about(task, (work) => diffAnswer(world, work, list ? 'none' : (file ?? 'all'))),
    readEvidence: ({ task }) => about(task, (work) => evidenceOfOrder(world, work)),
    ...changeCalls(parts, about, inTurn),
    verifyWork: ({ task }) => about(task, (work) => verifyAnswer(world, work)),
    clean: (request = {}) => cleanCall(world, request).catch(refuseWorkspaceFault),
  } satisfies Partial<Calls>;
}

/** Null for any other fault than an object that git cannot read. */
export function refuseDamagedFiles(error: unknown, task: string): Refusal | null {
  if (!(error instanceof WorkspaceFault) || error.damagedObject === null) return null;
  const message = `the saved files of ${task} are damaged: the object ${error.damagedObject} is missing or torn`;
  return refuseTask('saved_files_damaged', message, task);
}

/** Turns a failure of git or the disk into a refusal with its message. Anything else is a bug and is rethrown. */
export function refuseWorkspaceFault(error: unknown): Refusal {
  if (error instanceof WorkspaceFault) return refuse('workspace_failed', error.message);
  throw error;
}

/** Calls a verb with the work of a task; a failure of git or the disk is a refusal. */
type AboutWork = <Value>(
  reference: string,
  verb: (work: LeftWork) => Promise<Value | Refusal>,
) => Promise<Value | Refusal>;

/** The calls that apply, discard and undo work. Each is recorded as a fact of the task, with its event. */
function changeCalls({ world, overlaps: radar }: WorkCallParts, about: AboutWork, inTurn: ApplyTurn) {
  const change = (
    reference: string,
    kind: WorkAction,
    verb: (work: LeftWork) => Promise<WorkDone | Refusal>,
  ): Promise<WorkAnswer | Refusal> =>
    about(reference, async (work) => {
      const continued = refuseContinued(work);
      if (continued !== null) return continued;
      const done = await verb(work);
      if (isRefusal(done)) return done;
      const { state: _, ...shown } = done;
      const overlaps = kind === 'applied' ? overlapsBefore(world.ledger.read, work, radar) : [];
      return (await recordWorkAction(world, work, { ...done, kind })) ?? { task: work.task.id, ...shown, overlaps };
    });
  return {
    applyWork: ({ task, branch, commits = false, yes = false }) =>
      change(task, 'applied', async (work) => {
        const refused = yes ? null : refuseExecuted(work);
        if (refused !== null) return refused;
        return await inTurn(work, () =>
          branch === undefined ? applyOf(world, work) : branchOf(world, work, { branch, keepsCommits: commits }),
        );
      }),
    discardWork: ({ task }) => change(task, 'discarded', (work) => discardOf(world, work)),
    undoWork: ({ task, keep = false }) => change(task, 'undone', (work) => undoOf(world, work, keep)),
  } satisfies Partial<Calls>;
}

/** Null unless a later task continues in the worktree of this one: then that task has the work of both. */
function refuseContinued({ task, execution }: LeftWork): Refusal | null {
  const last = execution.workFacts.at(-1);
  if (last?.kind !== 'continued') return null;
  const refusal = refuse('invalid_argument', `${last.inTask} continues ${task.id} and has all of its work`);
  return { ...refusal, hint: `baton diff ${last.inTask}, then baton apply or baton discard ${last.inTask}` };
}

/** Runs the checks of a task again where its files are. */
async function verifyAnswer(
  world: OrderWorld,
  { task, execution: recorded }: LeftWork,
): Promise<VerifyAnswer | Refusal> {
  const execution = await presentExecution(recorded, world.dataFolder);
  if (isRefusal(execution)) return execution;
  const workplace = execution.snapshotted?.workplace ?? { kind: 'in-place' };
  if (workplace.kind === 'worktree' && !existsSync(workplace.folder)) {
    const refusal = refuse('invalid_argument', `${task.id} was done in a worktree, which was dropped`);
    return { ...refusal, hint: `baton apply ${task.id} brings it into your files; check them there` };
  }
  const { results } = await verifyWork(world, { task: task.id, execution, workplace });
  const checked = results.filter(({ result }) => result !== 'not-checkable');
  const oldTests = lastRun(execution)?.verified?.oldTests ?? null;
  const isPassed = checked.length > 0 && checked.every(({ result }) => result === 'passed');
  return { task: task.id, isPassed: isPassed && oldTests?.result !== 'failed', oldTests, results };
}
