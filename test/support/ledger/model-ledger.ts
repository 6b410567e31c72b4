import type { CompletionOutcome } from '../../../src/domain/task/resolve-completion.ts';
import type { TaskStatus } from '../../../src/domain/task/task-lifecycle.ts';

/** aof:statuses in its own words: the model must not lean on the code it judges. */
const LEGAL: Readonly<Record<TaskStatus, string>> = {
  backlog: 'ready blocked cancelled',
  ready: 'in-progress blocked deadletter cancelled',
  'in-progress': 'review ready blocked deadletter cancelled',
  blocked: 'ready review deadletter cancelled',
  review: 'done in-progress blocked cancelled',
  done: '',
  cancelled: '',
  deadletter: 'ready cancelled',
};
const BEAT_MS = 5 * 60_000;

export interface ModelRun {
  /** Empty until the ledger has told it. */
  id: string;
  readonly agent: string;
  readonly isProcess: boolean;
  boot: string;
  expiresMs: number;
  outcome: CompletionOutcome | null;
  hasMovedSince: boolean;
}

export interface ModelTask {
  readonly id: string;
  status: TaskStatus;
  readonly agent: string | null;
  readonly isReviewed: boolean;
  readonly resource: string | null;
  readonly needs: Set<string>;
  /** Every agent that had a run of it. */
  readonly workers: Set<string>;
  live: ModelRun | null;
  fence: number;
  reclaims: number;
}

export interface ModelTime {
  readonly monotonicMs: number;
  readonly bootId: string;
}

/** The life of tasks as the documents tell it, in memory. Each call answers `ok` or the code it is refused with. */
export class ModelLedger {
  readonly tasks = new Map<string, ModelTask>();
  now: ModelTime;

  constructor(now: ModelTime) {
    this.now = now;
  }

  create(task: Omit<ModelTask, 'status' | 'live' | 'fence' | 'reclaims' | 'workers'>): void {
    this.tasks.set(task.id, { ...task, workers: new Set(), status: 'backlog', live: null, fence: 0, reclaims: 0 });
  }

  openNeeds(task: ModelTask): number {
    return [...task.needs].filter((need) => this.tasks.get(need)?.status !== 'done').length;
  }

  claim(task: ModelTask, agent: string, isProcess: boolean): string {
    if (task.status === 'in-progress') return 'already_claimed';
    if (task.status !== 'ready' && task.status !== 'backlog') return 'invalid_transition';
    if (task.agent !== null && task.agent !== agent) return 'unauthorized_agent';
    if (this.openNeeds(task) > 0) return 'dependencies_open';
    if (this.#isBusy(task)) return 'resource_busy';
    return this.#start(task, agent, isProcess);
  }

  beat(task: ModelTask, agent: string, run: string | null): string {
    const refused = this.#notHolder(task, agent, run);
    if (refused === null) this.#beat(task);
    return refused ?? 'ok';
  }

  end(task: ModelTask, agent: string, run: string | null): string {
    const refused = this.#notHolder(task, agent, run);
    if (refused === null) this.#close(task);
    return refused ?? 'ok';
  }

  report(task: ModelTask, from: Sender, outcome: CompletionOutcome): string {
    const refused = this.#notHeard(task, from);
    if (refused !== null) return refused;
    if (from.agent === task.live?.agent) this.#beat(task);
    if (LEGAL[task.status] === '') return 'ok';
    if (task.live === null) {
      if (task.status !== 'ready' && task.status !== 'backlog')
        return this.#leadsTo(task, outcome).at(-1) === task.status ? 'ok' : 'not_running';
      const agent = from.agent === 'operator' ? (task.agent ?? 'operator') : from.agent;
      const claimed = this.claim(task, agent, false);
      if (claimed !== 'ok') return claimed;
    }
    Object.assign(task.live as unknown as ModelRun, { outcome, hasMovedSince: false });
    return 'ok';
  }

  update(task: ModelTask, from: Sender, to: TaskStatus): string {
    const refused = this.#notHeard(task, from);
    if (refused !== null) return refused;
    if (from.agent === task.live?.agent) this.#beat(task);
    if (!this.#mayMove(task, to)) return 'ok';
    // aof:self-approval: cancelled is for an operator alone, done not for who did the work.
    if (from.agent !== 'operator' && (to === 'cancelled' || (to === 'done' && task.workers.has(from.agent))))
      return 'ok';
    if (to === 'in-progress' && task.live === null) {
      if (this.openNeeds(task) > 0 || this.#isBusy(task)) return 'ok';
      return this.#start(task, from.agent, false);
    }
    if (to === 'ready') task.live = null;
    return this.#go(task, to);
  }

  move(task: ModelTask, to: TaskStatus): string {
    if (task.status === to) return 'ok';
    if (!this.#mayMove(task, to)) return 'invalid_transition';
    if (to === 'in-progress') {
      if (this.#isBusy(task)) return 'resource_busy';
      return this.#start(task, task.agent ?? 'operator', false);
    }
    Object.assign(task, { live: null, reclaims: 0 });
    return this.#go(task, to);
  }

  retry(task: ModelTask): string {
    if (task.status !== 'blocked' && task.status !== 'deadletter') return 'invalid_transition';
    return this.move(task, 'ready');
  }

  depend(task: ModelTask, on: ModelTask): string {
    if (this.#reaches(on.id, task.id)) return 'dependency_cycle';
    task.needs.add(on.id);
    return 'ok';
  }

  sweep(): string {
    for (const task of this.tasks.values()) {
      if (task.live === null) continue;
      const isOfThisBoot = task.live.boot === this.now.bootId;
      if (isOfThisBoot ? task.live.expiresMs <= this.now.monotonicMs : task.live.isProcess) this.#close(task);
      else if (!isOfThisBoot) this.#beat(task);
    }
    return 'ok';
  }

  #start(task: ModelTask, agent: string, isProcess: boolean): string {
    task.fence++;
    task.workers.add(agent);
    const { bootId: boot, monotonicMs } = this.now;
    task.live = {
      id: '',
      agent,
      isProcess,
      boot,
      expiresMs: monotonicMs + BEAT_MS,
      outcome: null,
      hasMovedSince: false,
    };
    return this.#go(task, 'in-progress');
  }

  #go(task: ModelTask, to: TaskStatus): string {
    task.status = to;
    if (task.live !== null) task.live.hasMovedSince = true;
    if (to === 'cancelled' || to === 'deadletter') this.#blockWhatNeeds(task);
    return 'ok';
  }

  /** All the way down: what needs a task that waits for one that was cancelled or given up waits for it too. */
  #blockWhatNeeds({ id }: ModelTask): void {
    for (const waiting of this.tasks.values()) {
      if (!waiting.needs.has(id) || !['backlog', 'ready'].includes(waiting.status)) continue;
      this.#go(waiting, 'blocked');
      this.#blockWhatNeeds(waiting);
    }
  }

  #close(task: ModelTask): void {
    const { outcome, hasMovedSince } = task.live as ModelRun;
    task.live = null;
    if (outcome === null) {
      if (task.status !== 'in-progress') return;
      task.reclaims = task.reclaims === 2 ? 0 : task.reclaims + 1;
      this.#go(task, task.reclaims === 0 ? 'blocked' : 'ready');
      return;
    }
    if (task.status !== 'in-progress' && (task.status !== 'blocked' || hasMovedSince)) return;
    const moves = this.#leadsTo(task, outcome).filter((to) => to !== task.status);
    if (moves.length > 0) task.reclaims = 0;
    for (const to of moves) this.#go(task, to);
  }

  #leadsTo(task: ModelTask, outcome: CompletionOutcome): TaskStatus[] {
    if (outcome === 'blocked') return ['blocked'];
    return outcome === 'done' && !task.isReviewed ? ['review', 'done'] : ['review'];
  }

  #beat({ live }: ModelTask): void {
    if (live) Object.assign(live, { boot: this.now.bootId, expiresMs: this.now.monotonicMs + BEAT_MS });
  }

  #mayMove(task: ModelTask, to: TaskStatus): boolean {
    return LEGAL[task.status].split(' ').includes(to);
  }

  #isBusy({ resource }: ModelTask): boolean {
    return (
      resource !== null &&
      [...this.tasks.values()].some((other) => other.resource === resource && other.status === 'in-progress')
    );
  }

  #notHolder(task: ModelTask, agent: string, run: string | null): string | null {
    if (run !== null && run !== task.live?.id) return 'stale_run';
    if (task.live === null) return 'not_running';
    return task.live.agent === agent ? null : 'unauthorized_agent';
  }

  #notHeard(task: ModelTask, { agent, run }: Sender): string | null {
    if (run !== null && run !== task.live?.id) return 'stale_run';
    const holder = task.live?.agent === 'operator' ? undefined : task.live?.agent;
    const owner = holder ?? task.agent;
    return agent === 'operator' || owner === null || owner === agent ? null : 'unauthorized_agent';
  }

  #reaches(from: string, to: string): boolean {
    if (from === to) return true;
    return [...(this.tasks.get(from)?.needs ?? [])].some((need) => this.#reaches(need, to));
  }
}

export interface Sender {
  readonly agent: string;
  readonly run: string | null;
}
