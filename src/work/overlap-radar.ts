import type { TaskName } from '../domain/task/task.ts';
import { type ChangingTask, findOverlaps, isCompared, type Overlap } from '../domain/work/overlap.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { faultFacts, type Logger } from '../platform/logger.ts';
import { recordOverlap } from './record-overlap.ts';

interface RadarWorld {
  readonly ledger: Ledger;
  readonly log: Logger;
}

/** A task that begins to change files. */
export interface BegunWork extends Pick<ChangingTask, 'taskId' | 'repository' | 'isInPlace'> {
  readonly runId: string;
}

type Changing = ChangingTask & Pick<BegunWork, 'runId'>;

/**
 * Compares the files that live runs of one repository change. In memory only, with an event in both tasks for each file that
 * two of them change. Its cost grows with the changed files of runs that work side by side.
 */
export class OverlapRadar {
  readonly #world: RadarWorld;
  readonly #tasks = new Map<TaskName, Changing>();
  /** The files of each pair that an event has told. */
  readonly #told = new Map<string, Set<string>>();
  #order = 0;

  constructor(world: RadarWorld) {
    this.#world = world;
  }

  /** A further run of the same task continues with the files of the one before. */
  begin({ taskId, runId, repository, isInPlace }: BegunWork): void {
    const none = { paths: new Set<string>(), differing: new Set<string>() };
    const { paths, differing } = this.#tasks.get(taskId) ?? none;
    const begun = ++this.#order;
    this.#tasks.set(taskId, { taskId, runId, repository, isInPlace, begun, ended: null, paths, differing });
  }

  /** Whether another run of the repository works, or a person may change the files that the task has a copy of. */
  isWorthALook(taskId: TaskName): boolean {
    const task = this.#tasks.get(taskId);
    if (!task) return false;
    return !task.isInPlace || this.#others(task).some(({ repository }) => repository === task.repository);
  }

  /** The files that a task has changed, and those of them that differ in the user's files. New overlaps become events. */
  async saw(taskId: TaskName, paths: Iterable<string>, differing: Iterable<string> | null = null): Promise<void> {
    const task = this.#tasks.get(taskId);
    if (!task) return;
    const seen = { ...task, paths: new Set(paths), differing: new Set(differing ?? task.differing) };
    this.#tasks.set(taskId, seen);
    for (const overlap of findOverlaps(seen, this.#others(seen))) await this.#tell(overlap);
  }

  end(taskId: TaskName): void {
    const task = this.#tasks.get(taskId);
    if (task?.ended !== null) return;
    this.#tasks.set(taskId, { ...task, ended: ++this.#order });
    for (const each of [...this.#tasks.values()]) if (!isCompared(each, this.#others(each))) this.#forget(each.taskId);
  }

  /** The overlaps of a task now. */
  of(taskId: TaskName): readonly Overlap[] {
    const task = this.#tasks.get(taskId);
    return task ? findOverlaps(task, this.#others(task)) : [];
  }

  /** Live runs that have changed some of these files of a repository. */
  touching(repository: string, paths: readonly string[]): readonly Pick<ChangingTask, 'taskId' | 'paths'>[] {
    const live = [...this.#tasks.values()].filter((task) => task.ended === null && task.repository === repository);
    return live.flatMap(({ taskId, paths: changed }) => {
      const shared = paths.filter((path) => changed.has(path));
      return shared.length === 0 ? [] : [{ taskId, paths: new Set(shared) }];
    });
  }

  /** The overlaps of two tasks that both work now, each once, under the one that began later. */
  pairs(): readonly Overlap[] {
    const live = [...this.#tasks.values()].filter(({ ended }) => ended === null);
    const begun = new Map<TaskName | null, number>(live.map((task) => [task.taskId, task.begun]));
    const isLater = ({ taskId, with: other }: Overlap) =>
      begun.has(other) && (begun.get(taskId) ?? 0) > (begun.get(other) ?? 0);
    return live.flatMap(({ taskId }) => this.of(taskId)).filter(isLater);
  }

  #others({ taskId }: Pick<ChangingTask, 'taskId'>): readonly Changing[] {
    return [...this.#tasks.values()].filter((other) => other.taskId !== taskId);
  }

  #forget(taskId: TaskName): void {
    this.#tasks.delete(taskId);
    for (const key of this.#told.keys()) if (key.split(' ').includes(taskId)) this.#told.delete(key);
  }

  /** Both tasks get an event, once for each file. */
  async #tell({ taskId, with: other, paths }: Overlap): Promise<void> {
    const key = [taskId, other ?? 'person'].sort().join(' ');
    const told = this.#told.get(key) ?? new Set<string>();
    const news = paths.filter((path) => !told.has(path));
    if (news.length === 0) return;
    this.#told.set(key, told);
    for (const path of news) told.add(path);
    const runs = [taskId, other].flatMap((each) => (each === null ? [] : (this.#tasks.get(each) ?? [])));
    const sides = runs.map((run) => ({
      taskId: run.taskId,
      runId: run.runId,
      with: run.taskId === taskId ? other : taskId,
    }));
    await this.#world.ledger.submit(recordOverlap, { sides, paths: news }).catch((error: unknown) => {
      // Such as a full disk: the overlap shows in the status all the same.
      this.#world.log.log('overlap.not_recorded', { task: taskId, ...faultFacts(error) });
    });
  }
}
