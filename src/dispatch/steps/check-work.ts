import type { Workplace } from '../../domain/execution/findings.ts';
import { takeShadow } from '../../workspace/shadow/take-shadow.ts';
import type { OpenOrder } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import type { WorkFolder } from '../work-folder.ts';
import { type Verification, verifyWork } from './verify-work.ts';

export interface CheckQuestion {
  readonly workplace: Workplace;
  readonly folder: WorkFolder;
  /** The state before the checks. */
  readonly basis: string | null;
  /** What the state after them is called, within the round. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/**
 * Makes every check, and records what is there then: a check is a program, and what it writes is neither the agent's work
 * nor a person's. The commit is null where no program was run.
 */
export async function checkWork(
  world: RunWorld,
  { task, round, execution }: OpenOrder,
  { workplace, folder, basis, name, signal }: CheckQuestion,
): Promise<Verification & { readonly commit: string | null }> {
  const found = await verifyWork(world, { task: task.id, execution, workplace, signal });
  const hasRun = found.made.some(({ argv }) => argv !== null);
  if (!hasRun || folder.shadows === null || basis === null) return { ...found, commit: null };
  const label = `${round}/${name}`;
  const { commit } = await takeShadow(folder.shadows, { task: task.id, label, basis, atMs: world.clock.now().wallMs });
  return { ...found, commit };
}
