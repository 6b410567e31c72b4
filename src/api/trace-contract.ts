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
  /** A rewind led back to before it. */
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
