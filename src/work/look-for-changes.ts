import { changesLeft } from '../domain/execution/recorded-changes.ts';
import {
  OVERLAP_EARLIER_ORDERS_MAX,
  OVERLAP_LOOKS_FREE_MS,
  OVERLAP_LOOKS_SHARE,
  OVERLAP_PATHS_MAX,
} from '../domain/session/session-limits.ts';
import type { RunHolder } from '../domain/task/channel.ts';
import { isTakenBack } from '../domain/work/work-state.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectNewestOrdersIn } from '../ledger/statements/reports.ts';
import { selectExecution } from '../ledger/statements/run-facts.ts';
import type { Clock } from '../platform/clock.ts';
import { changedFiles } from '../workspace/diff-shadows.ts';
import { findDiffering } from '../workspace/find-differing.ts';
import { takeShadow } from '../workspace/shadow/take-shadow.ts';
import type { OverlapRadar } from './overlap-radar.ts';
import { workspaceInRepository } from './place/work-folder.ts';
import type { RecordedFolder } from './recorded-folder.ts';

interface LookParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly overlaps: OverlapRadar;
}

interface LookedAtRun {
  readonly run: RunHolder;
  /** Null where nothing is recorded. */
  readonly recorded: RecordedFolder | null;
}

/**
 * Looks for the files that a live run has changed, as long as somebody else may change the same ones. The time that this takes
 * is a small share of the run, however large the repository is.
 */
export class ChangeLooks {
  readonly #world: LookParts;
  readonly #run: RunHolder;
  readonly #folder: RecordedFolder | null;
  readonly #startedAt: number;
  #spentMs = 0;

  constructor(world: LookParts, { run, recorded }: LookedAtRun) {
    this.#world = world;
    this.#run = run;
    this.#folder = recorded;
    this.#startedAt = this.#now();
    if (this.#folder === null) return;
    const { repository } = this.#folder.place;
    const { taskId, runId } = this.#run;
    world.overlaps.begin({ taskId, runId, repository: repository.commonDir, isInPlace: isInPlace(this.#folder) });
  }

  async look(): Promise<void> {
    const { overlaps } = this.#world;
    if (this.#folder === null || !this.#hasTime() || !overlaps.isWorthALook(this.#run.taskId)) return;
    const begunAt = this.#now();
    try {
      const paths = await this.#changed(this.#folder);
      await overlaps.saw(this.#run.taskId, paths, await differingByPerson(this.#world, this.#folder, paths));
    } finally {
      this.#spentMs += this.#now() - begunAt;
    }
  }

  /** Since the work on the task began. */
  async #changed({ place, labels, commit, began }: RecordedFolder): Promise<readonly string[]> {
    const basis = began ?? commit;
    const atMs = this.#world.clock.now().wallMs;
    const shadow = await takeShadow(place, { task: this.#run.taskId, label: `${labels}changes`, basis, atMs });
    const files = shadow.changed ?? (await changedFiles(place, { before: basis, after: shadow.commit }));
    return files.slice(0, OVERLAP_PATHS_MAX).map(({ path }) => path);
  }

  #hasTime(): boolean {
    return this.#spentMs < OVERLAP_LOOKS_FREE_MS + OVERLAP_LOOKS_SHARE * (this.#now() - this.#startedAt);
  }

  #now(): number {
    return this.#world.clock.now().monotonicMs;
  }
}

function isInPlace({ place }: RecordedFolder): boolean {
  return place.root === place.repository.root;
}

/** Files that differ in the user's own from the commit of the worktree, although no run of Baton left them so. */
async function differingByPerson(
  { ledger }: LookParts,
  folder: RecordedFolder,
  paths: readonly string[],
): Promise<readonly string[]> {
  const { head, repository } = folder.place;
  if (isInPlace(folder) || head === undefined) return [];
  const differing = await findDiffering(repository, head, paths);
  if (differing.size === 0) return [];
  const ours = new Set(
    selectNewestOrdersIn(ledger.read, repository.root, OVERLAP_EARLIER_ORDERS_MAX).flatMap(({ work, ...round }) => {
      if (work === 'waiting' || isTakenBack(work)) return [];
      const execution = selectExecution(ledger.read, round);
      const inside = workspaceInRepository(execution.order, execution.snapshotted?.repository);
      return changesLeft(execution).map(({ path }) => (inside === '' ? path : `${inside}/${path}`));
    }),
  );
  return [...differing].filter((path) => !ours.has(path));
}
