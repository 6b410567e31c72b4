import type { QuestionSignal } from '../../domain/agent/agent-signal.ts';
import { QUESTION_CHARACTERS_MAX } from '../../domain/limits.ts';
import { decidePermission } from '../../domain/order/decide-permission.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import { answerOfEndedRun, NO, type Question, YES } from '../../domain/task/question.ts';
import { shorten } from '../../domain/words/shorten.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { selectQuestion } from '../../ledger/statements/questions.ts';
import { answerQuestion, askQuestion, type NewQuestion } from '../../operations/task/ask-question.ts';
import { faultFacts, type Logger } from '../../platform/logger.ts';
import type { Timer } from '../../platform/timer.ts';
import { realPathOf } from '../../workspace/resolve-path.ts';
import type { BoundedLaunch } from './attempt.ts';
import type { Asking } from './run-talk.ts';
import type { AgentInput } from './talk.ts';

export type PermissionSignal = QuestionSignal & Required<Pick<QuestionSignal, 'permission'>>;

export interface PermissionParts {
  readonly ledger: Ledger;
  readonly timer: Timer;
  readonly log: Logger;
  readonly asking: Asking;
  readonly request: Pick<
    BoundedLaunch<RunHolder>,
    'run' | 'grant' | 'workspace' | 'isSandboxed' | 'limits' | 'questionTimeoutMs'
  >;
  /** Passes the answer on to the agent. */
  tell(told: AgentInput): void;
  /** A question waits for a person, or the last one is answered. */
  onWaiting(isWaiting: boolean): void;
}

interface Waiting {
  readonly signal: PermissionSignal;
  cancelTimeout(): void;
}

/** The permissions that the agent of one run asks for: decided by policy or by a person, and always answered. */
export class Permissions {
  readonly #parts: PermissionParts;
  /** Questions that wait for a person, by their id. */
  readonly #waiting = new Map<string, Waiting>();
  #forget: () => void = () => {};
  #isClosed = false;

  constructor(parts: PermissionParts) {
    this.#parts = parts;
  }

  /** Decides a permission or asks a person for it. Resolves when that is recorded, which may be before the answer. */
  async ask(signal: PermissionSignal): Promise<void> {
    const { ledger, log, request } = this.#parts;
    try {
      const asked = await ledger.submit(askQuestion, this.#questionOf(signal));
      if (isRefusal(asked)) return this.#answer(signal, NO);
      const { question } = asked;
      if (question.answer) return this.#answer(signal, question.answer.option);
      if (this.#isClosed) return;
      this.#wait(question, signal);
    } catch (error) {
      // An agent that waits for an answer would wait until its timeout.
      this.#answer(signal, NO);
      log.log('run.question_failed', { task: request.run.holder.taskId, ...faultFacts(error) });
    }
  }

  /** The process is gone: nobody waits for an answer any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#forget();
    const open = [...this.#waiting];
    this.#waiting.clear();
    for (const [question, { cancelTimeout }] of open) {
      cancelTimeout();
      await this.#parts.ledger.submit(answerQuestion, { question, ...answerOfEndedRun({ defaultOption: NO }) });
    }
  }

  #questionOf({ permission }: PermissionSignal): NewQuestion {
    const { asking, request } = this.#parts;
    const { run, limits, questionTimeoutMs } = request;
    const real = { ...permission, paths: realPathsOf(permission.paths, request.workspace) };
    const decision = decidePermission({ ...request, permission: real, whyUnattended: asking.whyUnattended() });
    const [where = null] = [...(permission.command ? [permission.command] : []), ...permission.paths];
    return {
      taskId: run.holder.taskId,
      runId: run.runId,
      kind: 'permission',
      what: shorten(`use ${permission.tool}: ${permission.input}`, QUESTION_CHARACTERS_MAX),
      where: where === null ? null : shorten(where, QUESTION_CHARACTERS_MAX),
      why: permission.reason === null ? null : shorten(permission.reason, QUESTION_CHARACTERS_MAX),
      options: [YES, NO],
      defaultOption: NO,
      timeoutMs: Math.min(questionTimeoutMs ?? Number.POSITIVE_INFINITY, limits.policy.timeoutSeconds * 1_000),
      ...(decision.kind === 'ask'
        ? {}
        : { answer: { option: decision.kind === 'allow' ? YES : NO, reason: decision.reason } }),
    };
  }

  #wait({ id, askedAt, deadlineAt }: Question, signal: PermissionSignal): void {
    const { ledger, timer, onWaiting } = this.#parts;
    const waitMs = (deadlineAt ?? askedAt) - askedAt;
    this.#waiting.set(id, { signal, cancelTimeout: timer.after(waitMs, () => void this.#timeOut(id, waitMs)) });
    if (this.#waiting.size > 1) return;
    onWaiting(true);
    this.#forget = ledger.onCommitted(() => this.#look());
    this.#look();
  }

  /** Whoever answers writes to the ledger, so the ledger tells. */
  #look(): void {
    for (const [id, { signal, cancelTimeout }] of this.#waiting) {
      const answer = selectQuestion(this.#parts.ledger.read, id)?.answer;
      if (!answer) continue;
      cancelTimeout();
      this.#waiting.delete(id);
      this.#answer(signal, answer.option);
    }
    if (this.#waiting.size > 0) return;
    this.#forget();
    this.#parts.onWaiting(false);
  }

  async #timeOut(question: string, waitMs: number): Promise<void> {
    const { ledger, log, request } = this.#parts;
    const reason = `nobody answered in ${Math.round(waitMs / 1_000)} s`;
    try {
      await ledger.submit(answerQuestion, { question, option: NO, by: 'timeout', reason });
    } catch (error) {
      log.log('run.question_failed', { task: request.run.holder.taskId, ...faultFacts(error) });
    }
  }

  #answer({ id, permission }: PermissionSignal, option: string): void {
    const { allow, refuse } = permission;
    this.#parts.tell({ kind: 'answer', question: id, option: option === YES ? allow : refuse });
  }
}

/** None if one of the paths leads nowhere: nothing is granted for a path that Baton cannot follow. */
function realPathsOf(paths: readonly string[], workspace: string): readonly string[] {
  const real = paths.map((path) => realPathOf(path, workspace));
  return real.every((path) => path !== null) ? real : [];
}
