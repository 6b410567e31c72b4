import { existsSync, readFileSync, rmSync } from 'node:fs';
import { receiptFile, writeReceipt } from '../../checks/receipt.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { selectRun } from '../../ledger/statements/runs.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { rememberPeerSigner } from '../../platform/node-key.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import type { LeftWork } from '../../work/work.ts';
import { isOfBaton } from '../../workspace/own-folders.ts';
import { forgetName } from '../../workspace/shadow/object-store.ts';
import { forgetPrivateRepository, type ShadowPlace, storeOf } from '../../workspace/shadow/private-repository.ts';
import { shadowRef } from '../../workspace/shadow/take-shadow.ts';
import { removeWorktree } from '../../workspace/worktree/remove-worktree.ts';
import { nameFiles } from '../parcel/folder-repository.ts';
import type { ImportResultRequest } from '../parcels.ts';
import { type ImportedStep, importRun } from './import-run.ts';
import { layResult, worktreeOf } from './lay-result.ts';
import { resultRun, treeNames } from './result-facts.ts';
import { LOGS, writeResultLog } from './result-log.ts';
import type { VerifiedResult } from './verify-result.ts';

export interface ResultToStore {
  readonly work: LeftWork;
  readonly request: ImportResultRequest;
  readonly place: ShadowPlace;
  readonly verified: VerifiedResult;
  readonly steps: readonly ImportedStep[];
}

/**
 * Stores a verified result, whose states the store has: first its worktree, receipt and logs, then its run in the ledger, which
 * makes it one. Whatever a killed process left of the first is made again.
 */
export async function storeResult(world: OrderWorld, stored: ResultToStore): Promise<Refusal | null> {
  const { work, request, place, verified, steps } = stored;
  const { dataFolder } = world;
  const { task, round, execution } = work;
  const { record, receipt } = verified;
  const isFolder = isOfBaton(dataFolder, place.repository);
  const odd = isFolder ? nameFiles(place.repository, verified.paths) : null;
  if (odd) return odd;
  const { verdict, code, message } = record.outcome;
  const elsewhere = { node: request.node, task: record.task, run: record.run, outcome: { verdict, code, message } };
  const { order } = execution;
  const laid = await layResult(world, { order, task: task.id, round, record, elsewhere, place });
  crashPoint('parcel.result-laid-out');
  const earlier = earlierReceipt(dataFolder, task.id);
  rememberPeerSigner(dataFolder, { keyId: verified.keyId, node: request.node });
  await writeReceipt(dataFolder, task.id, receipt);
  await writeLogs(world, stored);
  crashPoint('parcel.result-files-written');
  const head = isFolder ? null : record.states.head;
  const facts = { taskId: task.id, round, agent: request.agent, order, repository: place.repository, head };
  const imported = await world.ledger.submit(importRun, resultRun({ ...facts, record, laid, steps }));
  crashPoint('parcel.result-recorded');
  if (!isRefusal(imported)) return null;
  await takeBack(world, stored, earlier);
  return imported;
}

/** By the name of the run that holds the task, else by its name there. */
async function writeLogs(
  { dataFolder, ledger }: OrderWorld,
  { work, request, verified }: ResultToStore,
): Promise<void> {
  const { record, logs } = verified;
  const live = work.task.runId === null ? null : selectRun(ledger.read, work.task.runId);
  const names = { run: live?.id ?? record.run, agent: live?.agent ?? request.agent, theirRun: record.run };
  for (const name of LOGS) {
    const bytes = logs.get(name) ?? Buffer.alloc(0);
    if (bytes.length > 0) await writeResultLog(dataFolder, { task: work.task.id, name, bytes, ...names });
  }
}

function earlierReceipt(dataFolder: string, task: string): Buffer | null {
  const file = receiptFile(dataFolder, task);
  return existsSync(file) ? readFileSync(file) : null;
}

/** Somebody moved the task meanwhile: nothing of the result stays but its objects, which `baton clean` removes. */
async function takeBack(
  { dataFolder }: OrderWorld,
  { work, place, verified, steps }: ResultToStore,
  earlier: Buffer | null,
): Promise<void> {
  const { task, round } = work;
  const folder = worktreeOf(dataFolder, task.id, round);
  removeWorktree(folder);
  forgetPrivateRepository({ keptFolder: place.keptFolder, root: folder });
  for (const { label } of treeNames(verified.record, { round, steps, trees: verified.trees })) {
    forgetName(storeOf(place), shadowRef(task.id, label));
  }
  if (earlier === null) rmSync(receiptFile(dataFolder, task.id), { force: true });
  else await writeReceipt(dataFolder, task.id, earlier.toString('utf8'));
}
