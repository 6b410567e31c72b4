import { workLeft } from '../../domain/execution/recorded-changes.ts';
import { besideTexts, type WorkFact } from '../../domain/execution/work-fact.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import { recordWork } from '../../operations/order/record-work.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import type { LeftWork, WorkDone } from '../../work/work.ts';

export type WorkAction = Exclude<WorkFact['kind'], 'continued'>;

/**
 * Writes down what was done with the work; a refusal if it could not be written. A repeated call that finds everything
 * done already writes it only where a crash kept the first one from being written.
 */
export async function recordWorkAction(
  { ledger, clock }: OrderWorld,
  { task, execution }: LeftWork,
  { kind, ...done }: WorkDone & { readonly kind: WorkAction },
): Promise<Refusal | null> {
  const isNews = task.work !== kind && workLeft(execution).length > 0;
  const { folder, files, savedIgnored, branch, commit, keptAs, state } = done;
  const beside = besideTexts(done);
  if (files.length + beside.length === 0 && !isNews) return null;
  const at = clock.now().wallMs;
  const kept = { keptAs, ...(savedIgnored.length > 0 && { hasSavedIgnored: true as const }) };
  const told = { folder, files, ...(beside.length > 0 && { beside }), branch, commit };
  const fact = { kind, by: OPERATOR, ...told, ...kept, at };
  const answer = await ledger.submit(recordWork, { taskId: task.id, fact, ...(state && { state }) });
  if (!isRefusal(answer)) return null;
  return { ...answer, message: `${task.id} is ${kind}, but that could not be recorded: ${answer.message}` };
}
