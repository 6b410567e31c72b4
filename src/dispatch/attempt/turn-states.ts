import type { RunHolder } from '../../domain/task/channel.ts';
import { TURN_STATES_FREE_MS, TURN_STATES_SHARE } from '../../domain/trace/trace-limits.ts';
import { countFiles } from '../../domain/work/point.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { recordTurnState } from '../../operations/run/record-point.ts';
import type { Clock } from '../../platform/clock.ts';
import { faultFacts, type Logger } from '../../platform/logger.ts';
import type { RecordedFolder } from '../../work/recorded-folder.ts';
import { changedFiles } from '../../workspace/diff-shadows.ts';
import type { EarlierRules } from '../../workspace/shadow/find-names.ts';
import { nameCommit } from '../../workspace/shadow/object-store.ts';
import { storeOf } from '../../workspace/shadow/private-repository.ts';
import { shadowRef, takeShadow } from '../../workspace/shadow/take-shadow.ts';
import type { BoundedLaunch } from './attempt.ts';
import type { RunActivities } from './run-activities.ts';

/** A turn that changes more files is told with the first of them. */
const PATHS_TOLD_MAX = 20;

interface StatesWorld {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Logger;
  readonly activities: RunActivities;
}

/**
 * Records the files of a run after each turn that changed them, so that it can be rewound to there. States are recorded one
 * at a time: of turns that end meanwhile the last one counts. The time that this takes is a small share of the run.
 */
export class TurnStates {
  readonly #world: StatesWorld;
  readonly #run: RunHolder;
  readonly #folder: RecordedFolder | null;
  readonly #startedAt: number;
  #commit: string;
  #spentMs = 0;
  /** The turn whose state is to be recorded next. */
  #next: number | null = null;
  #recording: Promise<void> | null = null;
  #isOver = false;
  #hasNewRules = false;

  constructor(world: StatesWorld, { run, recorded }: BoundedLaunch<RunHolder>) {
    this.#world = world;
    this.#run = run.holder;
    this.#folder = recorded ?? null;
    this.#commit = this.#folder?.commit ?? '';
    this.#startedAt = world.clock.now().monotonicMs;
  }

  /** A turn of the run is over. Nobody waits for its state. */
  turnEnded(index: number): void {
    this.#next = index;
    if (this.#folder !== null && !this.#isOver) this.#recording ??= this.#recordAll(this.#folder);
  }

  /** No more states are recorded; resolves when the last one is. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#recording;
  }

  async #recordAll(folder: RecordedFolder): Promise<void> {
    while (this.#next !== null && !this.#isOver && this.#hasTime()) {
      const index = this.#next;
      this.#next = null;
      const begunAt = this.#now();
      try {
        await this.#record(folder, index);
      } catch (error) {
        // The state after the run is recorded in any case, and a fault of git ends the order there.
        this.#world.log.log('run.state_not_recorded', { task: this.#run.taskId, turn: index, ...faultFacts(error) });
      }
      this.#spentMs += this.#now() - begunAt;
    }
    this.#recording = null;
  }

  async #record(folder: RecordedFolder, index: number): Promise<void> {
    const { place, labels, rules } = folder;
    const { taskId, runId } = this.#run;
    const label = `${labels}${index}`;
    let found = await this.#look(folder);
    this.#hasNewRules ||= found.files.some(({ path }) => /(^|\/)\.gitignore$/.test(path));
    if (this.#hasNewRules && rules !== null) found = await this.#look(folder, rules);
    const { files, shadow } = found;
    if (files.length === 0) return;
    const { commit, modes } = shadow;
    nameCommit(storeOf(place), { ref: shadowRef(taskId, label), commit, modes });
    this.#commit = commit;
    const paths = files.slice(0, PATHS_TOLD_MAX).map(({ path }) => path);
    const state = { label, commit, gitHash: commit, files: countFiles(files), paths };
    // Refused where the run was just ended: the state after it is recorded then.
    await this.#world.ledger.submit(recordTurnState, { taskId, runId, turnIndex: index, ...state });
    const whole = await changedFiles(place, { before: folder.commit, after: commit });
    this.#world.activities.sized(runId, {
      files: whole.length,
      added: whole.reduce((sum, file) => sum + (file.added ?? 0), 0),
      removed: whole.reduce((sum, file) => sum + (file.removed ?? 0), 0),
    });
  }

  async #look({ place, labels }: RecordedFolder, rules?: EarlierRules) {
    const shadow = await takeShadow(place, {
      task: this.#run.taskId,
      label: `${labels}look`,
      basis: this.#commit,
      atMs: this.#world.clock.now().wallMs,
      ...(rules && { rules }),
    });
    const { changed, commit } = shadow;
    return { shadow, files: changed ?? (await changedFiles(place, { before: this.#commit, after: commit })) };
  }

  #hasTime(): boolean {
    return this.#spentMs < TURN_STATES_FREE_MS + TURN_STATES_SHARE * (this.#now() - this.#startedAt);
  }

  #now(): number {
    return this.#world.clock.now().monotonicMs;
  }
}
