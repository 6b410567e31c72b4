import type { ReadJson } from '../../checks/receipt.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { judgeResult } from '../../domain/remote/judge-result.ts';
import type { ResultRecord } from '../../domain/remote/result-record.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import { leftWork } from '../../work/left-work.ts';
import { workspaceInRepository } from '../../work/place/work-folder.ts';
import type { LeftWork } from '../../work/work.ts';
import type { ShadowPlace } from '../../workspace/shadow/private-repository.ts';
import { type Parcel, parcelDigest, readParcel } from '../parcel/parcel.ts';
import { parcelPlace } from '../parcel/parcel-place.ts';
import { dropIncoming, refuseParcel } from '../parcel/receive-pack.ts';
import { repositoryName } from '../parcel/record-base.ts';
import { nameStates, takeStates } from '../parcel/take-states.ts';
import type { ImportedResult, ImportResultRequest } from '../parcels.ts';
import { importPlace } from './import-run.ts';
import { importedSteps, type ReadTrace, treeNames } from './result-facts.ts';
import { storeResult } from './store-result.ts';
import { verifyResult } from './verify-result.ts';

export interface ImportParts {
  readonly bytesMax: number;
  readonly readJson: ReadJson;
  readonly readTrace: ReadTrace;
}

/**
 * Verifies a result of another node and stores it as a run of the task here, with a worktree, so that everything that can be done
 * with the work of a run can be done with it. A refused result changes nothing.
 */
export async function importResult(
  world: OrderWorld,
  request: ImportResultRequest,
  parts: ImportParts,
): Promise<ImportedResult | Refusal> {
  const work = leftWork(world.ledger.read, request.task);
  if (isRefusal(work)) return work;
  const parcel = readParcel(request.result, 'result');
  if (isRefusal(parcel)) return parcel;
  const other = refuseOther(work, request, parcel);
  if (other) return other;
  const about = { taskId: work.task.id, round: work.round, agent: request.agent };
  const found = importPlace(world.ledger.read, { ...about, commit: parcel.state });
  if (isRefusal(found)) return found;
  const refusal = found.isDone ? null : await takeResult(world, { work, request, parcel, parts });
  dropIncoming({ dataFolder: world.dataFolder, parcel }, refusal);
  return refusal ?? importedAs(world, work, !found.isDone);
}

/** A result names the parcel that it answers, and that one its task and round. */
function refuseOther({ task, round }: LeftWork, { sent }: ImportResultRequest, parcel: Parcel): Refusal | null {
  if (sent.about !== `${task.uid}/${round}`)
    return refuse('invalid_argument', `${task.id} was not sent in this parcel`);
  if (parcel.about !== parcelDigest(sent)) return refuseParcel('it is the result of other work');
  return parcel.objectFormat === sent.objectFormat ? null : refuseParcel('its objects have other names');
}

interface ResultToTake {
  readonly work: LeftWork;
  readonly request: ImportResultRequest;
  readonly parcel: Parcel;
  readonly parts: ImportParts;
}

async function takeResult(world: OrderWorld, asked: ResultToTake): Promise<Refusal | null> {
  const { work, request, parcel, parts } = asked;
  const { round, task, execution } = work;
  const place = placeOf(world, work, request.sent);
  if (isRefusal(place)) return place;
  const question = {
    dataFolder: world.dataFolder,
    parcel,
    sent: request.sent,
    digest: parcelDigest(request.sent),
    publicKey: request.publicKey,
    folder: workspaceInRepository(execution.order, place.repository),
    bytesMax: parts.bytesMax,
    readJson: parts.readJson,
  };
  const { eventTypes = {} } = execution.order.settings;
  const stepsOf = (record: ResultRecord) => importedSteps(record, round, (text) => parts.readTrace(text, eventTypes));
  const verified = await takeStates(
    { place, parcel, bytesMax: parts.bytesMax, blobs: request.blobs },
    {
      judge: (staged) => verifyResult(staged, question),
      keep: (own, { record, trees }) =>
        nameStates(own, task.id, treeNames(record, { round, steps: stepsOf(record), trees })),
    },
  );
  if (isRefusal(verified)) return verified;
  crashPoint('parcel.result-stored');
  return await storeResult(world, { work, request, place, verified, steps: stepsOf(verified.record) });
}

/** The place that the work was packed from. */
function placeOf({ dataFolder }: OrderWorld, work: LeftWork, sent: Parcel): ShadowPlace | Refusal {
  const { task, round, execution } = work;
  const { workspaceRoot } = execution.order;
  const { kind, place } = parcelPlace({ dataFolder, task: task.id, round, workspaceRoot });
  if (kind === sent.kind && repositoryName(place) === sent.repository) return place;
  const message = `${workspaceRoot} is no longer in the repository that ${task.id} was sent from`;
  return {
    ...refuse('file-not-found', message),
    hint: `bring ${workspaceRoot} back, and the result will be taken in`,
  };
}

function importedAs({ ledger }: OrderWorld, { task, round }: LeftWork, isNew: boolean): ImportedResult {
  const execution = selectExecution(ledger.read, { taskId: task.id, round });
  const { workplace } = execution.snapshotted ?? {};
  const elsewhere = workplace?.kind === 'worktree' ? workplace.elsewhere : undefined;
  const run = execution.attempts.findLast(({ collected }) => collected !== null)?.runId;
  if (!elsewhere || !run) throw new Error(`${task.id} has no result of another node`);
  return { kind: 'imported', isNew, run, outcome: judgeResult(execution, { ...elsewhere.outcome, attempts: [] }) };
}
