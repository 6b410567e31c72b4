import type { Fact } from '../../domain/execution/fact.ts';
import { makeReport } from '../../domain/execution/make-report.ts';
import type { Report } from '../../domain/order/report.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import type { OrderWorld } from '../../orders/order-world.ts';

/** Writes the report of an order that another node ran, and whose files did not come: there is no receipt. */
export async function sentReportStep(
  world: OrderWorld,
  { task, execution, orderedAt }: OpenOrder,
): Promise<Extract<Fact, { readonly kind: 'reported' }>> {
  const { order, remote, attempts } = execution;
  const report = makeReport(execution, {
    agent: agentOf(execution),
    task: task.id,
    startedAt: attempts.at(-1)?.startedAt ?? orderedAt,
    completedAt: remote?.answered?.at ?? world.clock.now().wallMs,
    receipt: null,
    measured: [],
  });
  await world.edge.publishReport(order, report);
  return { kind: 'reported', report };
}

function agentOf({ order, remote, attempts }: OpenOrder['execution']): Report['agent'] {
  const { provider, model, agentName } = order.target;
  const { model: theirs } = remote?.answered?.answer ?? { model: null };
  const name = attempts.at(-1)?.agent ?? agentName;
  return { name, provider: theirs?.provider ?? provider, model: theirs?.name ?? model };
}
