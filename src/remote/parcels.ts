import type { Outcome } from '../domain/execution/fact.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { Blobs, Parcel } from './parcel/parcel.ts';

/**
 * Work on its way between nodes, as far as its content goes: who sends what to whom is none of its business. Each call may be
 * repeated, after a crash too, and then ends the same.
 */
export interface Parcels {
  /**
   * Sender: packs the base of a task's newest round. It is recorded once: packed again, also with files that were changed since,
   * it is the same parcel for the same `haves`.
   */
  packWork(request: PackWorkRequest): Promise<Parcel | Refusal>;
  /** Receiver: unpacks work into a folder of its own below the data folder. */
  unpackWork(request: UnpackWorkRequest): Promise<UnpackedWork | Refusal>;
  /** Receiver: work begins in the folder of a task. Unpacked again, for a ledger that was restored, it is made anew. */
  handOut(name: string): void;
  /** Receiver: packs the newest round of a task, which is reported. */
  packResult(request: PackResultRequest): Promise<Parcel | Refusal>;
  /** Sender: verifies a result and stores its run in the round, which is still open. Whoever called it settles and reports the round. */
  importResult(request: ImportResultRequest): Promise<ImportedResult | Refusal>;
  /** Receiver: removes the folder of a task whose result has arrived. Its record stays. */
  removeWork(name: string): void;
}

export interface PackWorkRequest {
  readonly task: TaskName;
  /** Commits that the other node is known to have (`UnpackedWork.has`); those that this node does not know are ignored. */
  readonly haves: readonly string[];
  /** Parcels that it was sent before: those of the same repository count likewise. */
  readonly earlier?: readonly Parcel[];
  readonly blobs: Blobs;
}

export interface UnpackWorkRequest {
  /** As it came; null for a task without files, which gets an empty folder. */
  readonly parcel: unknown;
  /** The node that sent it: nobody else's objects are used for it. */
  readonly from: string;
  /** Names the folder, such as the event that brought the work: letters, digits, `_`, `-` and dots. */
  readonly name: string;
  readonly blobs: Blobs;
}

export interface UnpackedWork {
  readonly kind: 'unpacked';
  /** The folder of the work: the workspace of its order here. */
  readonly workspace: string;
  /** For `Order.parcel`, which lets the order work there and binds its receipt to the work. */
  readonly parcel: { readonly digest: string | null; readonly root: string };
  /** Commits that a later parcel of the same repository may leave out. */
  readonly has: readonly string[];
}

export interface PackResultRequest {
  readonly task: TaskName;
  readonly blobs: Blobs;
}

export interface ImportResultRequest {
  readonly task: TaskName;
  /** The node that did the work, and the key that is pinned for it: Ed25519, 32 bytes as base64url. */
  readonly node: string;
  readonly publicKey: string;
  /** The agent as it is called here, where no run holds the task yet. */
  readonly agent: string;
  /** The parcel that the node was sent. */
  readonly sent: Parcel;
  /** As it came. */
  readonly result: unknown;
  readonly blobs: Blobs;
}

export interface ImportedResult {
  readonly kind: 'imported';
  /** False where the ledger had it already: nothing was changed. */
  readonly isNew: boolean;
  /** The run of the task here. */
  readonly run: string;
  /** The outcome by the other node's findings: its own verdict, or a weaker one where it did not make every check that was asked for. */
  readonly outcome: Outcome;
}
