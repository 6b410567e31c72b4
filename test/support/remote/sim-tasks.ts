import { nextStep } from '../../../src/domain/execution/next-step.ts';
import { FEDERATION_ROOM_DEFAULT } from '../../../src/domain/federation/federation-limits.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import type { Task, TaskName } from '../../../src/domain/task/task.ts';
import { Federation } from '../../../src/federation/federation.ts';
import { MemoryStore } from '../../../src/federation/memory/memory-store.ts';
import { MemoryTransport } from '../../../src/federation/memory/memory-transport.ts';
import { selectSentTasks } from '../../../src/ledger/statements/federation/sent-tasks.ts';
import { selectOrder } from '../../../src/ledger/statements/orders.ts';
import { selectExecution } from '../../../src/ledger/statements/run-facts.ts';
import { selectTask } from '../../../src/ledger/statements/tasks.ts';
import { injectEvent } from '../../../src/messages/inject.ts';
import type { OpenOrder } from '../../../src/operations/order/order-store.ts';
import { recordFact } from '../../../src/operations/order/record-fact.ts';
import { settleOrder } from '../../../src/operations/order/settle-order.ts';
import { requestStop } from '../../../src/operations/order/stop-order.ts';
import type { Ids } from '../../../src/platform/ids.ts';
import { silentLogger } from '../../../src/platform/logger.ts';
import type { Timer } from '../../../src/platform/timer.ts';
import { TaskServer } from '../../../src/remote/receiver/task-server.ts';
import { submitSentOrder } from '../../../src/remote/sender/send-order.ts';
import { SentOrders } from '../../../src/remote/sender/sent-orders.ts';
import { memoryKey } from '../federation/memory-key.ts';
import { simIds } from '../federation/sim-federation.ts';
import { SimTime } from '../federation/sim-time.ts';
import { copyLedger, type MemoryLedger, openMemoryLedger } from '../ledger/memory-ledger.ts';
import { anOrder } from '../order/an-order.ts';
import { aReport } from '../run/a-report.ts';
import { NEW_TASK } from '../task/task-life.ts';
import { simParcels } from './sim-parcels.ts';
import { SimWork } from './sim-work.ts';

/** A federation of simulated machines that send each other tasks. */
export class TaskFleet {
  readonly time = new SimTime();
  readonly store = new MemoryStore(() => this.time.nowMs);
  readonly nodes = new Map<string, TaskNode>();

  async add(name: string, agents: readonly string[]): Promise<TaskNode> {
    const node = new TaskNode(name, agents, this);
    this.nodes.set(name, node);
    await node.start();
    return node;
  }

  /** Lets time pass in steps of a second, in which every node does what it has to. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      this.time.pass(STEP_MS);
      await this.settle();
    }
  }

  async settle(): Promise<void> {
    await calm(this.store);
    for (const node of this.nodes.values()) await node.turn();
    await calm(this.store);
  }

  async until(isIt: () => boolean, msMax: number): Promise<void> {
    for (let passed = 0; passed < msMax && !isIt(); passed += STEP_MS) await this.pass(STEP_MS);
    if (!isIt()) throw new Error(`not within ${msMax} ms`);
  }
}

const STEP_MS = 1_000;

/** Waits until nobody has anything to do at this virtual instant. */
async function calm(store: MemoryStore): Promise<void> {
  const work = () => Object.values(store.calls).reduce((sum, calls) => sum + calls, 0);
  for (let quiet = 0, seen = work(); quiet < 25; quiet++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (work() === seen) continue;
    seen = work();
    quiet = 0;
  }
}

/** One simulated machine: the real federation, the real orders for others, and agents that only pretend to work. */
export class TaskNode {
  readonly name: string;
  readonly agents: readonly string[];
  readonly key = memoryKey();
  /** The folder of its only skill. */
  skillPath = '/nowhere';
  skewMs = 0;
  ledger: MemoryLedger;
  federation: Federation;
  work: SimWork;
  readonly #fleet: TaskFleet;
  readonly #ids: Ids;
  #life = { isOver: false };
  readonly #finished = new Set<string>();
  #orders: SentOrders;

  constructor(name: string, agents: readonly string[], fleet: TaskFleet) {
    this.name = name;
    this.agents = agents;
    this.#fleet = fleet;
    this.#ids = simIds(name);
    this.ledger = openMemoryLedger(this.#clock, this.#ids);
    this.work = new SimWork(this);
    [this.federation, this.#orders] = this.#make();
  }

  get #clock() {
    return this.#fleet.time.clock(() => this.skewMs);
  }

  get nowMs(): number {
    return this.#fleet.time.nowMs;
  }

  /** A dead machine hears no timer. */
  get #timer(): Timer {
    const { timer } = this.#fleet.time;
    const life = this.#life;
    return { ...timer, after: (ms, call) => timer.after(ms, () => (life.isOver ? undefined : call())) };
  }

  #make(): [Federation, SentOrders] {
    const { ledger, key } = this;
    const federation = new Federation({
      nodeId: this.name,
      federation: 'sim',
      transport: new MemoryTransport(this.#fleet.store, this.name),
      ledger,
      key,
      clock: this.#clock,
      timer: this.#timer,
      ids: this.#ids,
      log: silentLogger,
      version: '0',
      gapPolicy: 'tombstone',
      isTrustNeeded: false,
      inject: injectEvent,
      agents: () =>
        this.agents.map((name) => ({
          name,
          role: '',
          provider: '',
          model: '',
          load: this.work.loadOf(name),
          slots: 1,
        })),
      isLocal: (agent) => this.agents.includes(agent),
      skills: () => [{ name: 'skill', version: '1.0.0', path: this.skillPath }],
      skillsFolder: '/nowhere',
      roomMax: FEDERATION_ROOM_DEFAULT,
      tasksOf: (node) => new TaskServer(node, { work: this.work, content: null }),
      onNews: () => {},
    });
    const parcels = async () => simParcels(() => this.ledger);
    const parts = { isBrief: false, ledger, clock: this.#clock, parcels, federation: async () => federation };
    return [federation, new SentOrders(parts)];
  }

  async start(): Promise<void> {
    await this.federation.start();
  }

  /** Ends at once, wherever it is; what was committed stays. */
  kill(): void {
    this.#life.isOver = true;
    void this.federation.parts.transport.close();
  }

  get isDead(): boolean {
    return this.#life.isOver;
  }

  async restart(): Promise<void> {
    for (const uid of this.work.finished) this.#finished.add(uid);
    const copy = copyLedger(this.ledger);
    this.#life = { isOver: false };
    this.ledger = openMemoryLedger(this.#clock, this.#ids, copy);
    this.work = new SimWork(this);
    [this.federation, this.#orders] = this.#make();
    await this.start();
  }

  /** Stores an order for others, as `baton run --on` does. */
  async order(terms: { to?: string[]; needs?: string[]; deadlineAt?: number | null }): Promise<Task> {
    const remote = { to: [], needs: [], deadlineAt: null, requester: this.name, ...terms };
    const id = this.#ids.ulid();
    const order = anOrder({ remote, sessionId: `ses_${id}`, taskId: `aop_${id}` });
    const task = { ...NEW_TASK, title: 'do it', metadata: { reviewRequired: false } };
    const made = await this.ledger.submit(submitSentOrder, { task, order, provenance: null, message: null });
    if (isRefusal(made)) throw new Error(made.message);
    return made.task;
  }

  async stop(taskId: TaskName): Promise<void> {
    await this.ledger.submit(requestStop, { taskId, by: 'operator' });
  }

  task(taskId: string): Task {
    const task = selectTask(this.ledger.read, taskId);
    if (!task) throw new Error(`there is no task ${taskId} on ${this.name}`);
    return task;
  }

  /** Everything that is due: orders for others, and pretended work. */
  async turn(): Promise<void> {
    if (this.isDead) return;
    for (const taskId of selectSentTasks(this.ledger.read, 100)) await this.#drive(taskId);
    await this.work.turn();
  }

  async #drive(taskId: TaskName): Promise<void> {
    for (let isMoved = true; isMoved; ) {
      const open = this.#read(taskId);
      isMoved = open !== null && (await this.#step(open));
    }
  }

  #read(taskId: TaskName): OpenOrder | null {
    const { read } = this.ledger;
    const row = selectOrder(read, taskId);
    const task = selectTask(read, taskId);
    if (!row?.isOpen || !task) return null;
    const { round, at: orderedAt, provenance } = row;
    return { task, round, orderedAt, provenance, execution: selectExecution(read, row) };
  }

  async #step(open: OpenOrder): Promise<boolean> {
    const step = nextStep(open.execution);
    const taskId = open.task.id;
    switch (step.kind) {
      case 'send':
        return await this.#orders.send(open);
      case 'await':
        return await this.#orders.look(open);
      case 'recall':
        return await this.#orders.recall(open, step.reason);
      case 'bring':
        return await this.#orders.bring(open);
      case 'settle':
        return !isRefusal(await this.ledger.submit(settleOrder, { taskId, outcome: step.outcome }));
      case 'report': {
        const report = aReport({ verdict: open.execution.outcome?.verdict ?? 'failed' });
        return !isRefusal(await this.ledger.submit(recordFact, { taskId, fact: { kind: 'reported', report } }));
      }
      default:
        return false;
    }
  }

  /** Whether an agent here ever finished a task, in whatever life of the machine. */
  everFinished(uid: string): boolean {
    return this.#finished.has(uid) || this.work.finished.includes(uid);
  }

  rows<Row>(sql: string, ...values: (string | number)[]): Row[] {
    return this.ledger.db.prepare(sql).all(...values) as Row[];
  }

  factsOf(taskId: string): { readonly kind: string; readonly [field: string]: unknown }[] {
    const rows = this.rows<{ fact: string }>(
      'SELECT fact FROM run_facts WHERE task_id = ? ORDER BY round, number',
      taskId,
    );
    return rows.map(({ fact }) => JSON.parse(fact) as { kind: string });
  }

  reviews(): { readonly failureClass: string; readonly sampleCorrIds: readonly string[] }[] {
    const rows = this.rows<{ record: string }>('SELECT record FROM capability_reviews ORDER BY created_at, review_id');
    return rows.map(({ record }) => JSON.parse(record) as { failureClass: string; sampleCorrIds: string[] });
  }
}
