import type { TaskName } from '../task/task.ts';
import { counted } from '../words/counted.ts';

/** An operator applied, undid, discarded or continued the work, after its report. */
export type WorkFact =
  | WorkChange<'applied'>
  | WorkChange<'undone'>
  | WorkChange<'discarded'>
  /** A later task continues in its worktree. */
  | (WorkChange<'continued'> & { readonly inTask: TaskName });

/** An operator put the files back to a recorded state: that is what the work left now. */
export interface RewoundFact {
  readonly kind: 'rewound';
  readonly by: string;
  /** The number of the point. */
  readonly point: number;
  readonly commit: string;
  readonly label: string;
  /** The run of the point, and its turn; null for a point between runs. */
  readonly runId: string | null;
  readonly turnIndex: number | null;
  readonly at: number;
}

interface WorkChange<Kind> {
  readonly kind: Kind;
  readonly by: string;
  /** The root of the user's repository. */
  readonly folder: string;
  /** The files that were written, restored or dropped. */
  readonly files: readonly string[];
  /** The branch that the work was committed to; null if it went into the files. */
  readonly branch: string | null;
  readonly commit: string | null;
  /** The commit or ref that holds the files from before. */
  readonly keptAs: string | null;
  /** Things that were put back beside files: `8 ignored files`, `the branch main`. Absent in the facts of older versions. */
  readonly beside?: readonly string[];
  /** An undo moved ignored files with changes of the user into the data folder. */
  readonly hasSavedIgnored?: true;
  readonly at: number;
}

/** The earlier round that an operator continues, of the same task or of one that is done. */
export interface ContinuedWork {
  readonly task: TaskName;
  readonly round: number;
  /** The operator's words for it; null where there are none. */
  readonly words: string | null;
  /** The work waits in a worktree: the new round works there too, and both are one work. */
  readonly isInWorktree: boolean;
  /** The work was undone or discarded. */
  readonly isTakenBack: boolean;
  /** The files were rewound to a state in the middle of it: `before that work`, `right after turn 3`. */
  readonly rewoundTo?: string;
}

interface BesideFiles {
  readonly ignored: readonly string[];
  readonly git: readonly string[];
  readonly ofChecks: readonly string[];
}

/** Names what was put back beside recorded files: ignored files and those of checks by number, things of git by name. */
export function besideTexts({ ignored, git, ofChecks }: BesideFiles): readonly string[] {
  return [
    ...(ignored.length === 0 ? [] : [counted(ignored.length, 'ignored file')]),
    ...(ofChecks.length === 0 ? [] : [counted(ofChecks.length, 'file of the checks', 'files of the checks')]),
    ...git,
  ];
}
