/** The source of a warning; programs and the command line tell warnings apart by it, never by their sentences. */
export const WARNING_KINDS = [
  /** About the text of the order. */
  'message',
  'fallback',
  'not-sandboxed',
  /** A risk that a person would have been asked about. */
  'unasked',
  /** The agent tried to reach a host outside of its grant. */
  'host-refused',
  /** A limit that a run exceeded without being ended. */
  'limit',
  'report-size',
  'unchecked',
  'lost-runs',
  /** The agent claims another result than Baton found. */
  'claim-differs',
  'not-checkable',
  'check-changed',
  'rolled-back',
  /** A run changed a configuration file, so that it is not trusted any more. */
  'untrusted',
  /** Came or changed during the run, and the user's next git command executes or obeys it. */
  'executed-by-git',
  /** The work changed branches, tags, HEAD, index or stash. */
  'git-changed',
  /** The work created, changed or removed files that git ignores. */
  'ignored-changed',
  /** Folders that were not searched for what git executes. */
  'not-looked-at',
  /** Words of a person that reached no agent before the task ended. */
  'untold-words',
  /** The agent's own. */
  'agent',
] as const;

export type WarningKind = (typeof WARNING_KINDS)[number];

/** Something about an order or a run that its sender should know. */
export interface OrderWarning {
  readonly kind: WarningKind;
  /** A code of the taxonomy or of a codec. */
  readonly code: string | null;
  /** JSON Pointer into the message; null where it is not about a field. */
  readonly path: string | null;
  readonly message: string;
}

/** One line, as messages to the outside carry it. */
export function warningText({ code, path, message }: OrderWarning): string {
  const about = path === null || path === '' ? message : `${path} ${message}`;
  return code === null ? about : `${code}: ${about}`;
}
