import type { Fact } from '../../domain/execution/fact.ts';
import type { Order } from '../../domain/order/order.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { checkWork } from '../../work/place/check-work.ts';
import { waitForReports } from '../../work/place/prior-work.ts';
import { measureOutputs, recordedState, shadowBefore } from '../../work/place/record-state.ts';
import { takeWorkplace } from '../../work/place/take-workplace.ts';
import { snapshotHome, type WorkFolder, workFolderOf } from '../../work/place/work-folder.ts';
import { refuseQueuedInCopy } from '../../work/recorded-workspace.ts';
import type { WorkWorld } from '../../work/work-world.ts';
import { takeSnapshots } from '../../workspace/snapshot/take-snapshots.ts';
import type { StepParts } from './step-parts.ts';

type SnapshottedFact = Extract<Fact, { readonly kind: 'snapshotted' }>;

/** Before the first attempt: reserves a workplace and records the files, outputs and checks before the work. */
export async function snapshotStep(
  parts: StepParts,
  open: OpenOrder,
  signal: AbortSignal,
): Promise<SnapshottedFact | Refusal | null> {
  const { world, trust } = parts;
  const { execution, task, round } = open;
  const { order } = execution;
  const refusal = refuseQueuedInCopy(world, open);
  if (refusal) return refusal;
  await waitForReports(world, open, signal);
  const taken = await takeWorkplace(world, open, signal);
  if (taken === null || isRefusal(taken)) return taken;
  const { workplace, head: made, start, basedOn = [] } = taken;
  const folder = workFolderOf({ order, workplace, dataFolder: world.dataFolder, head: made });
  const atMs = world.clock.now().wallMs;
  const shadow = { task: task.id, label: `${round}/before`, atMs };
  const recording = shadowBefore(world, { order, folder, signal }, shadow);
  const [{ before, gitInventory, gitState, ignoredState }] = await Promise.all([recording, openServer(parts)]);
  const head = made ?? before?.head ?? null;
  const [files, recorded] = await Promise.all([
    takeSnapshots(snapshotHome(world, open, folder), wantedSnapshots(order)),
    startOf(world, { task: task.id, label: shadow.label }, { folder, before }),
  ]);
  if (isRefusal(files)) return files;
  const basis = before?.commit ?? null;
  const ignoredBase = ignoredState ?? undefined;
  const question = { workplace, folder, basis, name: 'checked', signal, search: null, ignoredBase };
  const checks = await checkWork(world, open, question);
  const outputs = await measureOutputs(order, folder);
  const own = {
    commit: basis,
    checkedCommit: checks.commit,
    gitInventory,
    ...(gitState !== null && { gitState }),
    ...(ignoredState !== null && { ignoredState }),
    ...(checks.ignoredState !== undefined && { checkedIgnored: checks.ignoredState }),
  };
  return {
    kind: 'snapshotted',
    workplace,
    head,
    repository: folder.repository,
    files,
    checks: checks.results,
    made: checks.made,
    settingsFiles: trust.settingsFiles(),
    outputs,
    ...(recorded && { recorded }),
    ...(basedOn.length > 0 && { basedOn }),
    ...(start ?? own),
  };
}

type Before = Awaited<ReturnType<typeof shadowBefore>>['before'];

/** The state that a rewind to before the work leads to; null without git. */
async function startOf(
  world: WorkWorld,
  name: { readonly task: TaskName; readonly label: string },
  { folder, before }: { readonly folder: WorkFolder; readonly before: Before },
) {
  return folder.shadows && before ? await recordedState(world, folder.shadows, { ...name, shadow: before }) : null;
}

/** Opens the server that the agent needs next, while git works. A server that cannot be opened fails the launch. */
async function openServer({ talk, world: { timer } }: StepParts): Promise<void> {
  await timer.breathe();
  await talk
    .server()
    ?.open()
    .catch(() => null);
}

function wantedSnapshots({ outputs }: Order) {
  return outputs.flatMap(({ path, snapshot }) =>
    path === null || snapshot === null ? [] : [{ path, strategy: snapshot.strategy, snapshotPath: snapshot.path }],
  );
}
