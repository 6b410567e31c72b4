import { MIRROR_RETRY_MS_MAX, MIRROR_RETRY_MS_MIN } from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';
import { type NewIncident, selectOpenKinds } from '../ledger/statements/incidents.ts';
import type { Reader } from '../ledger/tx.ts';
import type { Ids } from '../platform/ids.ts';
import { EventLog } from './event-log.ts';
import type { HeldEdits } from './held-edits.ts';
import type { MirrorRecord } from './record-mirror.ts';
import { failureOf, isMirrorKind, UnknownContent } from './tree-fault.ts';
import { TreeFiles } from './tree-files.ts';
import { taskOf } from './tree-paths.ts';
import { WorkSlice, type WorkSliceParts } from './work-slice.ts';

/** The tools that write a tree. */
export interface TreeParts {
  readonly files: TreeFiles;
  readonly log: EventLog;
  readonly trouble: MirrorTrouble;
  readonly slice: WorkSlice;
}

export interface TreePartsOptions extends WorkSliceParts {
  /** The data folder. */
  readonly root: string;
  readonly read: Reader;
  readonly ids: Ids;
  readonly edits: HeldEdits;
}

export function treeParts({ root, read, ids, edits, ...slice }: TreePartsOptions): TreeParts {
  const trouble = new MirrorTrouble(read);
  const onKept = (path: string, keptAs: string) => trouble.kept(path, keptAs);
  const files = new TreeFiles({ root, ids, edits, onKept });
  const onTorn = (path: string, cut: string) => trouble.torn(path, cut);
  return { files, trouble, log: new EventLog({ files, read, onTorn }), slice: new WorkSlice(slice) };
}

const TORN_EVENTS = 'mirror_torn_events';
const DETAIL_CHARACTERS_MAX = 500;

/** Failures of the mirror as incidents: one a kind, closed when writing works again. */
class MirrorTrouble {
  readonly #open: Set<string>;
  readonly #failing = new Set<string>();
  readonly #held = new Set<TaskName>();
  #unrecorded: NewIncident[] = [];
  #retries = 0;

  constructor(read: Reader) {
    this.#open = new Set(selectOpenKinds(read).filter(isMirrorKind));
  }

  /** True if something failed since the last `startAfresh`. */
  get isFailing(): boolean {
    return this.#failing.size > 0;
  }

  /** Returns null and records the failure if `work` fails. */
  guard<Result>(work: () => Result): Result | null {
    try {
      return work();
    } catch (error) {
      this.failed(error);
      return null;
    }
  }

  failed(error: unknown): void {
    if (error instanceof UnknownContent) {
      const task = taskOf(error.path);
      if (task !== null) this.#held.add(task);
      return;
    }
    const { kind, detail } = failureOf(error);
    this.#failing.add(kind);
    this.#openOnce(kind, detail);
  }

  /** Tasks with an edited file that has to be judged, since the last call. */
  takeHeld(): TaskName[] {
    const held = [...this.#held];
    this.#held.clear();
    return held;
  }

  /** The end was repaired at once, but an operator should know. */
  torn(path: string, cut: string): void {
    this.#openOnce(TORN_EVENTS, `${path} had a torn last line, which was cut off: ${JSON.stringify(cut)}`);
  }

  /** A file that Baton did not write was set aside. The incident stays open until somebody removes that file. */
  kept(path: string, keptAs: string): void {
    const detail = `${path} was not written by Baton; it is kept as ${keptAs}`;
    this.#unrecorded.push({ kind: 'edit_set_aside', taskId: taskOf(path), detail, path: keptAs });
  }

  /** Forgets failures; they count again when they happen again. */
  startAfresh(): void {
    this.#failing.clear();
  }

  opened(): readonly NewIncident[] {
    return [...this.#unrecorded];
  }

  /** Kinds of open incidents that did not fail again. */
  over(): string[] {
    const unrecorded = new Set(this.#unrecorded.map(({ kind }) => kind));
    return [...this.#open].filter((kind) => !this.#failing.has(kind) && !unrecorded.has(kind));
  }

  recorded({ opened, closedKinds }: Pick<MirrorRecord, 'opened' | 'closedKinds'>): void {
    this.#unrecorded = this.#unrecorded.slice(opened.length);
    for (const kind of closedKinds) this.#open.delete(kind);
    if (!this.isFailing) this.#retries = 0;
  }

  nextRetryMs(): number {
    return Math.min(MIRROR_RETRY_MS_MIN * 2 ** this.#retries++, MIRROR_RETRY_MS_MAX);
  }

  #openOnce(kind: string, detail: string): void {
    if (this.#open.has(kind)) return;
    this.#open.add(kind);
    this.#unrecorded.push({ kind, taskId: null, detail: detail.slice(0, DETAIL_CHARACTERS_MAX) });
  }
}
