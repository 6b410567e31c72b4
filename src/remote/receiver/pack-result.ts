import { existsSync, readFileSync } from 'node:fs';
import { receiptFile } from '../../checks/receipt.ts';
import { sentRecord } from '../../domain/execution/lift-codes.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { ResultRecord } from '../../domain/remote/result-record.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { leftWork } from '../../work/left-work.ts';
import { recordedPlaces } from '../../work/work.ts';
import { packStates } from '../parcel/pack-states.ts';
import type { Parcel } from '../parcel/parcel.ts';
import { unpackedNote } from '../parcel/unpacked-folder.ts';
import type { PackResultRequest } from '../parcels.ts';
import { LOGS, logEnd } from '../sender/result-log.ts';
import { makeRecord } from './make-record.ts';

export const RECORD = 'record.json';
export const RECEIPT = 'receipt.json';

/** Packs the newest round of a task for the node that it came from: its states, receipt, story and logs. */
export async function packResult(
  world: OrderWorld,
  { task, blobs }: PackResultRequest,
  bytesMax: number,
): Promise<Parcel | Refusal> {
  const { dataFolder } = world;
  const work = leftWork(world.ledger.read, task);
  if (isRefusal(work)) return work;
  const { execution, round } = work;
  const { order, snapshotted, reported } = execution;
  const record = makeRecord(world, work);
  if (isRefusal(record)) return record;
  const receipt = receiptFile(dataFolder, task);
  if (!existsSync(receipt) || !snapshotted || !reported) {
    return refuse('invalid_argument', `${task} has no receipt, so nobody would believe its result`);
  }
  const places = await recordedPlaces(dataFolder, { order, snapshotted });
  if (isRefusal(places)) return places;
  const { head, before, after } = record.states;
  const { of: kind = 'git' } = unpackedNote(order.parcel?.root ?? '') ?? {};
  return await packStates({
    place: places.theirs,
    task,
    round,
    head,
    before,
    after,
    states: statesIn(record),
    tip: record.ownCommits?.tip ?? null,
    files: [
      { name: RECORD, bytes: Buffer.from(JSON.stringify(sentRecord(record))) },
      { name: RECEIPT, bytes: readFileSync(receipt) },
      ...LOGS.map((name) => ({ name, bytes: logEnd(dataFolder, task, name) })),
    ],
    about: { kind, about: record.parcel, repository: record.parcel },
    bytesMax,
    atMs: reported.report.timing.completedAt,
    blobs,
  });
}

/** Every commit that a record names, each once. */
export function statesIn({ states, steps }: ResultRecord): readonly string[] {
  const { before, checked, after, verified, rolledBack } = states;
  const named = [before, checked, after, verified, rolledBack].filter((commit) => commit !== null);
  return [...new Set([...named, ...steps.flatMap((step) => (step.kind === 'state' ? [step.commit] : []))])];
}
