import type { Refusal } from '../domain/refusal.ts';
import type { Activity } from '../domain/task/activity.ts';
import type { TaskAction } from '../domain/task/list-actions.ts';
import type { TaskStatus } from '../domain/task/task-lifecycle.ts';
import type { TaskReason } from '../domain/task/task-reason.ts';
import type { Problem } from '../protocols/codec.ts';
import type { VerdictView } from './order/verdict-view.ts';
import type { AttentionList } from './review/review-contract.ts';
import type { QuestionView } from './review/talk-contract.ts';
import type { RemoteView } from './task/remote-view.ts';
import type { TaskView } from './task/task-view.ts';
import type { TaskWait } from './task/task-wait.ts';

// Requests and answers of a node: what --json prints and what goes over HTTP. Instants are RFC 3339.

export interface RunView {
  readonly id: string;
  readonly fence: number;
  readonly agent: string;
  readonly status: string;
  readonly startedAt: string;
  /** End of the lease. */
  readonly expiresAt: string;
  readonly lastBeatAt: string;
  /** Without another heartbeat the run counts as dead from this instant on. */
  readonly heartbeatExpiresAt: string;
  readonly beats: number;
  readonly endedAt: string | null;
  readonly outcome: string | null;
  /** The author of the outcome: the agent, or dispatcher for Baton's own finding. */
  readonly outcomeBy: string | null;
  /** Baton started its program, which ends with the node. */
  readonly isCarried: boolean;
  /** Null for a run that is over, or whose agent this node did not start. */
  readonly activity: ActivityView | null;
  /** Its order is not over, and no node runs it now: the last one was killed while it checked the work. */
  readonly isInterrupted: boolean;
}

/** The occupation of a run at this moment. */
export interface ActivityView {
  readonly kind: Activity['kind'];
  /** In words: thinking, tool Bash, waiting for you. */
  readonly text: string;
  readonly since: string;
}

/** A run in a list of runs of many tasks. */
export interface TaskRunView extends RunView {
  readonly taskId: string;
}

export interface RunPage {
  readonly runs: readonly TaskRunView[];
  /** The id to continue after; null on the last page. */
  readonly next: string | null;
}

export interface AgentView {
  readonly name: string;
  readonly driver: string;
  readonly provider: string;
  readonly model: string;
  /** The version of its program; null if it is not known, or where Baton brings the agent. */
  readonly version: string | null;
  /** It can be given work. */
  readonly ready: boolean;
  /** Why it cannot be given work, and what to do; null if it can. */
  readonly reason: string | null;
  /** With its vendor; null if it has none, or if that is not known. */
  readonly loggedIn: boolean | null;
  /** Its runs are confined to their folders on this machine. */
  readonly sandboxed: boolean;
  readonly can: AbilitiesView;
  readonly role: string;
  readonly isDefault: boolean;
}

/** The abilities of an agent beside its work. */
export interface AbilitiesView {
  /** Hears words while it works. */
  readonly say: boolean;
  /** Continues an earlier session of its vendor. */
  readonly resume: boolean;
  readonly askPermission: boolean;
  /** When it reports tokens and cost. */
  readonly usage: 'live' | 'end' | 'none';
  readonly thoughts: boolean;
}

export interface AgentList {
  readonly agents: readonly AgentView[];
}

export interface EventView {
  readonly eventId: number;
  readonly type: string;
  readonly timestamp: string;
  readonly actor: string;
  readonly taskId: string | null;
  /** The run that it happened in. */
  readonly runId: string | null;
  /** The session of the task's order. */
  readonly sessionId: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Names one task: by its name, its uid, its number, words of its title, or @ for the newest. */
export interface TaskRequest {
  readonly task: string;
}

/** A task of a list; `verdict` is that of its last round, and null before its end or where Baton ran no agent for it. */
export interface ListedTask extends TaskView, VerdictView {}

export interface TaskPage {
  readonly tasks: readonly ListedTask[];
  readonly next: number | null;
}

/** A task with its file and its runs. `reason` and `cause` are those of its last transition. */
export interface TaskDetail extends TaskView, TaskReason, TaskWait {
  /** Everything that an operator can do with it now. */
  readonly actions: readonly TaskAction[];
  /** The path of its file, relative to the data folder. */
  readonly file: string;
  /** Oldest first. */
  readonly runs: readonly RunView[];
}

/** A task and the run that holds it, or held it until now. */
export interface HeldTask {
  readonly task: TaskView;
  readonly run: RunView;
}

/** One call of a batch. */
export interface BatchLine {
  readonly call: string;
  readonly request?: Readonly<Record<string, unknown>>;
  readonly key?: string;
}

/** The answer to one line of a batch, or its refusal. */
export interface BatchAnswer {
  readonly answer?: object;
  readonly error?: Omit<Refusal, 'kind'>;
}

/** The answer to a message; `baton send` prints it. */
export interface SendAnswer {
  readonly verdict: 'accepted' | 'refused' | 'malformed' | 'foreign';
  readonly code: string | null;
  readonly errors: readonly Problem[];
  /** Parts of the message that were not used, such as an unknown field. */
  readonly warnings: readonly (Problem & { readonly code: string })[];
  /** A suggestion for a message that was not accepted. */
  readonly hint: string | null;
  readonly events: readonly EventView[];
  readonly task: TaskView | null;
}

/** A task without its body and metadata. */
export type TaskLine = Omit<TaskView, 'body' | 'metadata'>;

/** Files that a task changes, and that another task or a person changes as well. */
export interface OverlapView {
  /** Null for a person: no run of Baton made the change. */
  readonly task: string | null;
  /** The number of these files. */
  readonly files: number;
  /** The first of them by name, from the root of the repository. */
  readonly paths: readonly string[];
}

/** Work in a worktree that is neither applied nor discarded. */
export interface WaitingWork extends VerdictView {
  /** The agent that did it. */
  readonly doneBy: string | null;
  /** The number of files that it changed. */
  readonly files: number;
  /** The end of the run. */
  readonly readyAt: string;
  /** With waiting work that it does not build on, and with live runs. */
  readonly overlaps: readonly OverlapView[];
}

export interface StatusAnswer {
  /** The data folder. */
  readonly data: string;
  readonly counts: Readonly<Partial<Record<TaskStatus, number>>>;
  readonly running: readonly (TaskLine & {
    readonly run: RunView | null;
    readonly overlaps: readonly OverlapView[];
    readonly remote: RemoteView | null;
  })[];
  /** Sessions that are not over and that no node runs. */
  readonly interruptedSessions: readonly { readonly id: string; readonly name: string }[];
  /** Ready or in backlog, most urgent first. */
  readonly waiting: readonly (TaskLine & TaskWait)[];
  /** Blocked, in review or given up, except tasks whose work was undone or discarded. */
  readonly needsYou: readonly (TaskLine & TaskReason)[];
  /** The attention queue: everything that waits for a person, the most pressing first. */
  readonly attention: AttentionList;
  /** Questions that wait for a person, oldest first. */
  readonly questions: readonly (QuestionView & { readonly title: string })[];
  /** Tasks whose work waits in a worktree, oldest first. */
  readonly toApply: readonly (TaskLine & WaitingWork)[];
  /** The number of all tasks that these two lists are about. */
  readonly totals: { readonly needsYou: number; readonly toApply: number };
  readonly incidents: readonly {
    readonly id: string;
    readonly kind: string;
    readonly taskId: string | null;
    readonly detail: string;
    readonly openedAt: string;
  }[];
}

export interface EventPage {
  readonly events: readonly EventView[];
}

export interface SettledAnswer {
  readonly settled: boolean;
}

export interface CleanAnswer {
  /** Nothing was removed: the numbers say what would be. */
  readonly dryRun: boolean;
  readonly olderThanDays: number;
  /** Tasks whose saved work was removed. */
  readonly tasks: readonly string[];
  readonly worktrees: number;
  /** Shadow commits, and objects of git. */
  readonly shadows: number;
  readonly objects: number;
  /** Copies of ignored files, states of git, and ignore rules. */
  readonly saved: number;
  readonly bytes: number;
  /** Tasks that keep their saved work: they run, wait to be applied, or can be undone. */
  readonly kept: { readonly running: number; readonly waiting: number; readonly undoable: number };
}

export interface BackupAnswer {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The number of tasks in the backup. */
  readonly tasks: number;
  readonly events: number;
  /** Receipts, logs, results and other files beside the ledger. */
  readonly files: number;
  readonly leftOut: readonly string[];
}

export interface RestoreAnswer {
  readonly file: string;
  /** The data folder. */
  readonly data: string;
  readonly tasks: number;
  readonly events: number;
  /** Receipts, logs, results and other files beside the ledger. */
  readonly files: number;
  /** The new paths of the earlier ledger and its tree. */
  readonly keptAs: string | null;
  readonly treeKeptAs: string | null;
}

export interface RebuildAnswer {
  readonly from: 'ledger';
  /** The data folder. */
  readonly data: string;
  readonly tasks: number;
  /** Tasks whose files could not be written; an incident says why. */
  readonly failed: number;
  readonly events: number;
}

/** A link that logs a browser in to the dashboard, once. */
export interface DashboardLink {
  /** Asks later whether the link was used; it opens nothing itself. */
  readonly id: string;
  readonly url: string;
  /** RFC 3339 */
  readonly expiresAt: string;
}

export interface LinkState {
  readonly isUsed: boolean;
}

/** The token that a browser gets for a link. */
export interface DashboardToken {
  readonly token: string;
}
