import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { OrderRunner } from '../../dispatch/order-runner.ts';
import { admitForeign } from '../../dispatch/orders/foreign-order.ts';
import type { RunWorld } from '../../dispatch/run-world.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { shorten } from '../../domain/shorten.ts';
import { readSkillFiles, readSkills, skillsFolder } from '../../federation/capabilities/skills.ts';
import type { AdmittedTask, ForeignWork } from '../../federation/tasks/foreign-work.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import { submitOrder } from '../../operations/order-rounds.ts';
import { requestStop } from '../../operations/stop-order.ts';
import { splitFrontMatter } from '../../protocols/front-matter.ts';
import { foreignEnd } from './foreign-end.ts';
import type { RemoteContent } from './remote-content.ts';

export interface ForeignParts {
  readonly world: RunWorld;
  readonly runner: OrderRunner;
  readonly dispatcher: Dispatcher;
  readonly content: RemoteContent;
}

const SKILL_CHARACTERS_MAX = 40_000;

/** Runs the tasks of other nodes as orders of this one. */
export class ForeignOrders implements ForeignWork {
  readonly #parts: ForeignParts;

  constructor(parts: ForeignParts) {
    this.#parts = parts;
  }

  get defaultAgent(): string | null {
    return this.#parts.world.settings().defaultAgent;
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

  readonly admit: ForeignWork['admit'] = async (task) => {
    const { world, content } = this.#parts;
    const { parcel, source, corrId } = task;
    const unpacked = await content.unpackWork({ parcel, from: source, name: corrId });
    if (isRefusal(unpacked)) return unpacked;
    const asked = await admitForeign(world, { ...task, workspace: unpacked.workspace });
    if (isRefusal(asked)) return asked;
    const checks = asked.order.checks.length;
    const judged =
      checks === 0 ? 'nothing checks it' : checks === 1 ? '1 check judges it' : `${checks} checks judge it`;
    const begin: AdmittedTask['begin'] = (tx) => submitOrder(tx, asked);
    return { plan: `${task.agent} works on it in a sandbox; ${judged}.`, begin };
  };

  readonly endOf: ForeignWork['endOf'] = async (taskId) => {
    const { world, content } = this.#parts;
    const row = selectOrder(world.ledger.read, taskId);
    const execution = row && selectExecution(world.ledger.read, row);
    const report = execution?.reported?.report;
    if (!execution || !report) return null;
    const packed = await content.packResult(taskId);
    return foreignEnd(execution, report, isRefusal(packed) ? null : packed.parcel);
  };

  readonly stop: ForeignWork['stop'] = async (taskId, why) => {
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
