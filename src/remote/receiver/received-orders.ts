import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { OrderRunner } from '../../dispatch/order-runner.ts';
import { agentOfTarget } from '../../domain/agent/choose-agent.ts';
import { splitAddress } from '../../domain/federation/choose-recipients.ts';
import { isRefusal, refuse } from '../../domain/refusal.ts';
import { shorten } from '../../domain/words/shorten.ts';
import { checksOf } from '../../domain/work/plan-verification.ts';
import { readSkillFiles, readSkills, skillsFolder } from '../../federation/capabilities/skills.ts';
import type { FederationParts } from '../../federation/federation.ts';
import type { Transport } from '../../federation/transport.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import { requestStop } from '../../operations/order/stop-order.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { targetOfTask, unpackTask } from '../../protocols/aop/sent-task.ts';
import { splitFrontMatter } from '../../protocols/front-matter.ts';
import type { Parcels } from '../parcels.ts';
import type { SenderParts } from '../sender/sender-parts.ts';
import { blobsOf, contentKeeper, workName } from '../shared-content.ts';
import { receivedEnd } from './received-end.ts';
import { admitReceived } from './received-order.ts';
import type { ReceivedWork } from './received-work.ts';
import { TaskServer } from './task-server.ts';

export interface ReceivedParts {
  readonly world: OrderWorld;
  readonly runner: OrderRunner;
  readonly dispatcher: Dispatcher;
  /** The content of work on its way between nodes. */
  parcels(): Promise<Parcels>;
  readonly transport: Transport;
}

interface TaskParts extends SenderParts {
  /** The parts that carry orders out; null on a node that does not stay on: tasks of others wait. */
  received(): Omit<ReceivedParts, 'transport'> | null;
}

/** The parts of a node that tasks of other nodes need. */
export function partsOfTasks(parts: TaskParts, transport: Transport): Pick<FederationParts, 'tasksOf'> {
  const received = parts.received();
  const work = received && new ReceivedOrders({ ...received, transport });
  const content = contentKeeper(parts, transport);
  return { tasksOf: (federation) => new TaskServer(federation, { work, content }) };
}

const SKILL_CHARACTERS_MAX = 40_000;

/** Runs the tasks of other nodes as orders of this one. */
class ReceivedOrders implements ReceivedWork {
  readonly #parts: ReceivedParts;

  constructor(parts: ReceivedParts) {
    this.#parts = parts;
  }

  get defaultAgent(): string | null {
    return this.#parts.world.roster.settings().defaultAgent;
  }

  skillText(name: string, version: string): string | null {
    const skill = readSkills(skillsFolder(this.#parts.world.dataFolder)).find(
      (found) => found.name === name && found.version === version,
    );
    const files = skill ? readSkillFiles(skill.path) : '';
    const text = typeof files === 'string' ? undefined : files.find(({ path }) => path === 'SKILL.md');
    if (text === undefined) return null;
    const whole = text.bytes.toString('utf8');
    return shorten((splitFrontMatter(whole)?.body ?? whole).trim(), SKILL_CHARACTERS_MAX);
  }

  readonly agentOf: ReceivedWork['agentOf'] = (aop, offered) => {
    const target = targetOfTask(aop);
    if (isRefusal(target)) return target;
    const agents = this.#parts.world.roster.settings().agents.filter(({ name }) => offered.includes(name));
    const found = agentOfTarget({ ...target, agentName: splitAddress(target.agentName)[0] }, agents);
    if (found) return found.name;
    const { agentName, provider, model } = target;
    return refuse('agent-not-found', `no agent that is offered here is ${agentName}, or ${provider} with ${model}`);
  };

  readonly admit: ReceivedWork['admit'] = async (task) => {
    const { world, transport } = this.#parts;
    const { parcel, source: from, eventId } = task;
    const parcels = await this.#parts.parcels();
    const name = workName(from, eventId);
    const unpacked = await parcels.unpackWork({
      parcel,
      from,
      name,
      blobs: blobsOf(transport),
    });
    if (isRefusal(unpacked)) return unpacked;
    const place = { workspaceRoot: unpacked.workspace, sessionId: `ses_${world.ids.ulid()}`, more: task.skills };
    const aop = task.aop === null ? null : unpackTask(task.aop, place);
    if (aop !== null && isRefusal(aop)) return aop;
    const taken = await admitReceived(world, { ...task, ...unpacked, task: aop?.text ?? null });
    if (isRefusal(taken)) return taken;
    parcels.handOut(name);
    const { plan: _, depth: __, ...round } = taken;
    const checks = checksOf(round.order).length;
    const judged =
      checks === 0 ? 'nothing checks it' : checks === 1 ? '1 check judges it' : `${checks} checks judge it`;
    return { plan: `${task.agent} works on it in a sandbox; ${judged}.`, round };
  };

  readonly endOf: ReceivedWork['endOf'] = async (taskId) => {
    const { world, transport } = this.#parts;
    const row = selectOrder(world.ledger.read, taskId);
    const execution = row && selectExecution(world.ledger.read, row);
    const report = execution?.reported?.report;
    if (!execution || !report) return null;
    // Its sender sent no files, and cannot take any.
    if (execution.order.parcel?.digest == null) return receivedEnd(execution, report, null);
    const packed = await (await this.#parts.parcels()).packResult({ task: taskId, blobs: blobsOf(transport) });
    return receivedEnd(execution, report, packed);
  };

  readonly stop: ReceivedWork['stop'] = async (taskId, why) => {
    const { world, runner, dispatcher } = this.#parts;
    await world.ledger.submit(requestStop, { taskId, by: BY, why });
    runner.stop(taskId, BY);
    dispatcher.drive(taskId);
  };

  wake(): void {
    this.#parts.dispatcher.wake();
  }
}

const BY = 'federation';
