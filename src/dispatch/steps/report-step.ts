import { collectFiles } from '../../checks/checked-files.ts';
import { receiptFile, signReceipt, writeReceipt } from '../../checks/receipt.ts';
import { type Execution, lastRun } from '../../domain/execution/execution.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import { makeReport } from '../../domain/execution/make-report.ts';
import { openNodeKey } from '../../platform/node-key.ts';
import type { OpenOrder } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { placesOf } from './order-places.ts';
import { receiptFacts } from './receipt-facts.ts';

/** Writes the report and the receipt of an order that is settled. Repeated, it writes the same. */
export async function reportStep(
  world: RunWorld,
  at: OpenOrder,
): Promise<Extract<Fact, { readonly kind: 'reported' }>> {
  const { task, execution, orderedAt } = at;
  const { order } = execution;
  const places = placesOf(world, execution);
  const checks = lastRun(execution)?.verified?.made ?? [];
  const changed = lastRun(execution)?.collected?.changed ?? [];
  const outputs = order.outputs.flatMap(({ path }) => (path === null ? [] : [path]));
  const paths = [...outputs, ...changed.filter(({ status }) => status !== 'DELETED').map(({ path }) => path)];
  const { files, leftOut } = await collectFiles({ paths, checks }, places);
  const agent = agentTold(world, execution);
  const startedAt = execution.attempts.find((attempt) => attempt.runId !== null)?.startedAt ?? orderedAt;
  const completedAt = lastRun(execution)?.ended?.at ?? world.clock.now().wallMs;
  const hasRun = execution.attempts.some(({ runId }) => runId !== null);
  const receipt = hasRun ? receiptFile(world.dataFolder, task.id) : null;
  const measured = files.map(({ path, size, sha256 }) => ({ path, sha256, sizeBytes: size }));
  const report = makeReport(execution, { agent, startedAt, completedAt, task: task.id, receipt, measured });
  const about = { agent, startedAt, completedAt, files, leftOut, batonVersion: world.batonVersion };
  const signed = hasRun ? signReceipt(receiptFacts(at, about), openNodeKey(world.dataFolder)) : null;
  await Promise.all([
    signed !== null && writeReceipt(world.dataFolder, task.id, signed),
    world.edge.publishReport(order, report),
  ]);
  world.workplaces.release(task.id);
  world.progress.release(task.id);
  return { kind: 'reported', report };
}

/** Who made the last attempt; where nobody did, who was meant. */
function agentTold(world: RunWorld, { order, attempts }: Execution) {
  const last = attempts.findLast(({ agent }) => agent !== null);
  const known = world.settings().agents.find(({ name }) => name === last?.agent);
  if (known) return { name: known.name, provider: known.provider, model: known.model };
  const { agentName, provider, model } = order.target;
  return { name: last?.agent ?? agentName, provider, model };
}
