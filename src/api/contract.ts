import type { RunHolder } from '../dispatch/attempt/agent-door.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Priority } from '../domain/task.ts';
import type { TaskStatus } from '../domain/task-lifecycle.ts';
import type { Problem } from '../protocols/codec.ts';
import type { OrderClient } from './order-contract.ts';
import type { CallOptions, TaskView } from './task-view.ts';

// The shapes that leave Baton: what --json prints and what the HTTP door will answer. Instants are RFC 3339.

export interface RunView {
  readonly id: string;
  readonly fence: number;
  readonly agent: string;
  readonly status: string;
  readonly startedAt: string;
  /** End of the lease. */
  readonly expiresAt: string;
  readonly lastBeatAt: string;
  /** Without another sign of life the run counts as dead from here on. */
  readonly heartbeatExpiresAt: string;
  readonly beats: number;
  readonly endedAt: string | null;
  readonly outcome: string | null;
  /** Baton started its program, and ends it with the node. */
  readonly isCarried: boolean;
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

export interface NewTaskRequest {
  readonly title: string;
  readonly body?: string;
  readonly priority?: Priority;
  readonly agent?: string | null;
  readonly role?: string | null;
  readonly team?: string | null;
  readonly tags?: readonly string[];
  readonly resource?: string | null;
  /** Any way of naming a task. */
  readonly parent?: string | null;
  readonly dependsOn?: readonly string[];
  readonly reviewRequired?: boolean;
}

export interface TaskChange {
  readonly title?: string;
  readonly body?: string;
  readonly priority?: Priority;
  readonly agent?: string | null;
  readonly role?: string | null;
  readonly tags?: readonly string[];
  readonly resource?: string | null;
  readonly reviewRequired?: boolean;
  readonly reason?: string | null;
}

export interface TaskListRequest {
  readonly status?: TaskStatus;
  readonly agent?: string;
  readonly parent?: string;
  readonly all?: boolean;
  /** Row number to go on after; null at the end. */
  readonly after?: number;
  readonly limit?: number;
}

export interface TaskPage {
  readonly tasks: readonly TaskView[];
  readonly next: number | null;
}

/** A task with all that is known of it. */
export interface TaskDetail extends TaskView {
  /** Why it is where it is, as far as somebody said so. */
  readonly reason: string | null;
  /** Its place in the tree, relative to the data folder. */
  readonly file: string;
  /** Oldest first. */
  readonly runs: readonly RunView[];
}

export interface RunRequest {
  readonly task: string;
  readonly agent: string;
  readonly run: string | null;
}

/** A task and the run that holds it, or held it until now. */
export interface HeldTask {
  readonly task: TaskView;
  readonly run: RunView;
}

export interface SendOptions extends CallOptions {
  /** The run that the channel carries. */
  readonly run?: string | null;
  /** The run that the sender is known by: it speaks in its own name, and of its own task. */
  readonly holder?: RunHolder | null;
}

/** What `baton send` prints. */
export interface SendAnswer {
  readonly verdict: 'accepted' | 'refused' | 'malformed' | 'foreign';
  readonly code: string | null;
  readonly errors: readonly Problem[];
  /** What to do about a message that was not accepted. */
  readonly hint: string | null;
  readonly events: readonly EventView[];
  readonly task: TaskView | null;
}

/** A task without what is long. */
export type TaskLine = Omit<TaskView, 'body' | 'metadata'>;

export interface StatusAnswer {
  /** The data folder. */
  readonly data: string;
  readonly counts: Readonly<Partial<Record<TaskStatus, number>>>;
  readonly running: readonly (TaskLine & { readonly run: RunView | null })[];
  /** Ready or in backlog, most urgent first. */
  readonly waiting: readonly TaskLine[];
  readonly needsYou: readonly (TaskLine & { readonly reason: string | null })[];
  readonly incidents: readonly {
    readonly id: string;
    readonly kind: string;
    readonly taskId: string | null;
    readonly detail: string;
    readonly openedAt: string;
  }[];
}

export interface EventsRequest {
  /** The eventId to go on after. */
  readonly after: number;
  /** Nothing older than this instant. */
  readonly since?: string;
  readonly task?: string;
  readonly run?: string;
  readonly session?: string;
  /** Types and beginnings of types, like task.*, with commas between. */
  readonly type?: string;
  readonly limit?: number;
}

export interface BackupAnswer {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** What it holds. */
  readonly tasks: number;
  readonly events: number;
}

export interface RestoreAnswer {
  readonly file: string;
  /** The data folder. */
  readonly data: string;
  readonly tasks: number;
  readonly events: number;
  /** Where the ledger that was there is now, and the files that showed it. */
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

/** Who talks to a node: in the same process or over HTTP. One contract, one conformance suite. */
export interface NodeClient extends OrderClient {
  createTask(request: NewTaskRequest, options?: CallOptions): Promise<TaskView | Refusal>;
  listTasks(request: TaskListRequest): Promise<TaskPage | Refusal>;
  showTask(reference: string): Promise<TaskDetail | Refusal>;
  moveTask(
    reference: string,
    to: TaskStatus,
    options?: CallOptions & { readonly reason?: string },
  ): Promise<TaskView | Refusal>;
  editTask(reference: string, change: TaskChange, options?: CallOptions): Promise<TaskView | Refusal>;
  cancelTask(reference: string, options?: CallOptions & { readonly reason?: string }): Promise<TaskView | Refusal>;
  retryTask(reference: string, options?: CallOptions): Promise<TaskView | Refusal>;
  dependTask(reference: string, on: readonly string[], options?: CallOptions): Promise<TaskView | Refusal>;
  claimTask(request: RunRequest, options?: CallOptions): Promise<HeldTask | Refusal>;
  beatTask(request: RunRequest): Promise<HeldTask | Refusal>;
  endTask(request: RunRequest, options?: CallOptions): Promise<HeldTask | Refusal>;
  send(text: string, options?: SendOptions): Promise<SendAnswer>;
  events(request: EventsRequest): Promise<readonly EventView[] | Refusal>;
  status(): Promise<StatusAnswer>;
  /** Writes the whole tree again from the ledger. */
  rebuild(): Promise<RebuildAnswer | Refusal>;
  /** Copies the ledger, as it is at one instant, to a file that does not exist yet. */
  backup(file: string, options?: { readonly force?: boolean }): Promise<BackupAnswer | Refusal>;
  /** Waits until the tree shows what was answered so far, of these tasks or of all, or an incident says why it cannot. */
  treeSettled(tasks?: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
