import { branchOf } from '../../dispatch/branch-of-task.ts';
import type { RunWorld } from '../../dispatch/run-world.ts';
import { undoOf } from '../../dispatch/undo-of-task.ts';
import { applyOf, discardOf, type LeftWork, refuseExecuted, type WorkDone } from '../../dispatch/work-of-task.ts';
import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import { changesLeft } from '../../domain/execution/changes-left.ts';
import type { WorkFact } from '../../domain/execution/work-fact.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { recordWork } from '../../operations/record-work.ts';
import type { Calls } from '../node-client.ts';
import type { WorkAnswer } from '../order-contract.ts';

type Deed = Exclude<WorkFact['kind'], 'continued'>;

/** Calls a verb with the work of a task; a failure of git or the disk is a refusal. */
export type AboutWork = <Value>(
  reference: string,
  verb: (work: LeftWork) => Promise<Value | Refusal>,
) => Promise<Value | Refusal>;

/** The calls that apply, discard and undo work. Each is recorded as a fact of the task, with its event. */
export function changeCalls(world: RunWorld, about: AboutWork): Pick<Calls, 'applyWork' | 'discardWork' | 'undoWork'> {
  const change = (
    reference: string,
    kind: Deed,
    verb: (work: LeftWork) => Promise<WorkDone | Refusal>,
  ): Promise<WorkAnswer | Refusal> =>
    about(reference, async (work) => {
      const continued = refuseContinued(work);
      if (continued !== null) return continued;
      const done = await verb(work);
      if (isRefusal(done)) return done;
      return (await recorded(world, work, { ...done, kind })) ?? { task: work.task.id, ...done };
    });
  return {
    applyWork: ({ task, branch, commits = false, yes = false }) =>
      change(task, 'applied', async (work) => {
        const refused = yes ? null : refuseExecuted(work);
        if (refused !== null) return refused;
        return await (branch === undefined
          ? applyOf(world, work)
          : branchOf(world, work, { branch, keepsCommits: commits }));
      }),
    discardWork: ({ task }) => change(task, 'discarded', (work) => discardOf(world, work)),
    undoWork: ({ task, keep = false }) => change(task, 'undone', (work) => undoOf(world, work, keep)),
  };
}

/** Null unless a later task goes on in the worktree of this one: then that task has the work of both. */
function refuseContinued({ task, execution }: LeftWork): Refusal | null {
  const last = execution.workFacts.at(-1);
  if (last?.kind !== 'continued') return null;
  const refusal = refuse('invalid_argument', `${last.inTask} goes on with the work of ${task.id} and has it all`);
  return { ...refusal, hint: `baton diff ${last.inTask}, then baton apply or baton discard ${last.inTask}` };
}

/**
 * Writes down what was done with the work; a refusal if it could not be written. A repeated call that finds everything
 * done already writes it only where a crash kept the first one from being written.
 */
async function recorded(
  { ledger, clock }: RunWorld,
  { task, execution }: LeftWork,
  { kind, folder, files, git, ignored, branch, commit, keptAs }: WorkDone & { readonly kind: Deed },
): Promise<Refusal | null> {
  const isNews = task.work !== kind && changesLeft(execution).length > 0;
  if (files.length + git.length + ignored.length === 0 && !isNews) return null;
  const fact = { kind, by: OPERATOR, folder, files, branch, commit, keptAs, at: clock.now().wallMs };
  const answer = await ledger.submit(recordWork, { taskId: task.id, fact });
  if (!isRefusal(answer)) return null;
  return { ...answer, message: `${task.id} is ${kind}, but that could not be recorded: ${answer.message}` };
}
