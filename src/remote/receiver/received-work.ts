import type { FailureClass } from '../../domain/order/failure-class.ts';
import type { Round } from '../../domain/order/round.ts';
import type { FailureCode, Refusal } from '../../domain/refusal.ts';
import type { OrderGrant } from '../../domain/remote/sent-terms.ts';
import type { Priority, TaskName } from '../../domain/task/task.ts';
import type { NewTask } from '../../operations/task/create-task.ts';
import type { OutcomeExtension } from '../../protocols/runtime/schema/extensions.ts';

/** A task of another node, before it is an order here. */
export interface TaskToAdmit {
  readonly source: string;
  readonly requester: string;
  /** The event that brought it names the folder that it works in. */
  readonly eventId: string;
  readonly agent: string;
  readonly title: string;
  /** Words, whatever they look like: no message of a protocol is read from them. */
  readonly words: string;
  /** The AOP TASK that it is, as it came; null for words. */
  readonly aop: unknown;
  /** The skills of this node for it, as text that the agent gets besides. */
  readonly skills: string;
  readonly priority: Priority;
  /** Null where its sender tells none. */
  readonly grant: OrderGrant | null;
  readonly depth: number;
  /** The content that it works on; null where none came along. */
  readonly parcel: unknown;
}

/** A task that this node would run. */
export interface AdmittedTask {
  /** One line for its sender. */
  readonly plan: string;
  /** The task and its order, as they are stored when it begins. */
  readonly round: Round & { readonly task: NewTask };
}

/** The end of a task that was run for another node. */
export interface ReceivedEnd {
  /** Null for work that did not fail. */
  readonly failureClass: FailureClass | null;
  readonly outcome: OutcomeExtension;
  readonly resultRef: string | null;
  /** The result that the ref names; absent where it is none, or too large. */
  readonly output?: unknown;
  /** Files, receipt and trace for the sender; null where none go back. */
  readonly parcel: unknown;
}

/** The machinery of a node that carries orders out, as far as tasks of other nodes need it. */
export interface ReceivedWork {
  readonly defaultAgent: string | null;
  /** The agent, of those offered, that a TASK names as its target; a refusal where it names none of them. */
  agentOf(aop: unknown, offered: readonly string[]): string | Refusal;
  /** The text of a skill that resolves here; null if it does not. */
  skillText(name: string, version: string): string | null;
  admit(task: TaskToAdmit): Promise<AdmittedTask | Refusal>;
  /** Null while the order is not reported. */
  endOf(taskId: TaskName): Promise<ReceivedEnd | null>;
  stop(taskId: TaskName, why: { readonly code: FailureCode | null; readonly message: string }): Promise<void>;
  /** Something was accepted, or is to stop. */
  wake(): void;
}
