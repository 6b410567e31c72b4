import type { FileCounts, PointKind } from '../../domain/work/point.ts';

// Answers of the calls about the trace of a task.

/** One message of a trace: a turn or an event of SAOP. */
export interface TraceEntryView {
  /** The position to continue from: `after` in the order of the page. */
  readonly cursor: string;
  /** The event of the log that announced it; null in ledgers from before turns had one. */
  readonly eventId: number | null;
  readonly runId: string | null;
  readonly at: string;
  /** TURN, or the type of the event. */
  readonly type: string;
  readonly turnIndex: number | null;
  /** A rewind returned to a point before it. */
  readonly isSuperseded: boolean;
  /** Long texts of the message are cut; asked for with `whole`, they are not. */
  readonly isCut: boolean;
  readonly message: Readonly<Record<string, unknown>>;
}

export interface TracePage {
  readonly task: string;
  readonly entries: readonly TraceEntryView[];
  /** The cursor to continue after; null on the last page. */
  readonly next: string | null;
}

/** A state of the files that a task can be rewound to. */
export interface PointView {
  /** Its number in the task, as text. */
  readonly point: string;
  readonly at: string;
  readonly kind: PointKind;
  /** The status of the task then. */
  readonly status: string;
  readonly runId: string | null;
  /** The turn that left these files; null for other kinds. */
  readonly turnIndex: number | null;
  /** The event of the log that it belongs to. */
  readonly eventId: number;
  readonly gitHash: string;
  /** Numbers of files that differ from the point before. */
  readonly files: FileCounts;
  /** A rewind returned to a point before it; it can be rewound to all the same. */
  readonly isSuperseded: boolean;
  /** The point that a rewind led back to; null for any other event. */
  readonly rewoundTo: string | null;
}

export interface PointList {
  readonly task: string;
  /** Oldest first. */
  readonly points: readonly PointView[];
}

/** A rewind as it would be; nothing was changed. */
export interface RewindPreviewView {
  readonly task: string;
  readonly point: string;
  /** The status of the task after it. */
  readonly status: string;
  /** The root of the files. */
  readonly folder: string;
  readonly files: readonly {
    readonly path: string;
    readonly status: string;
    readonly added: number | null;
    readonly removed: number | null;
  }[];
  /** Files that were changed since the task recorded them: a rewind must be told to keep them. */
  readonly dirty: readonly string[];
  /** Sentences about things that a rewind leaves as they are. */
  readonly notes: readonly string[];
  /** The difference that it would make. */
  readonly text: string;
}

export interface RewindAnswer {
  readonly rewoundTo: string;
  /** The name in Baton's object store of the commit that has the files from before. */
  readonly savedAs: string;
  readonly task: string;
  readonly status: string;
  /** The point that leads back to before this rewind. */
  readonly before: string;
  readonly folder: string;
  readonly files: readonly string[];
  /** Files with changes of others that it replaced: `savedAs` and `before` have them. */
  readonly kept: readonly string[];
  readonly notes: readonly string[];
}
