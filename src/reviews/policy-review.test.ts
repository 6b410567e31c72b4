import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskLife } from '../../test/support/task/task-life.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Exchange } from '../domain/review/feedback-exchange.ts';
import type { TaskName } from '../domain/task/task.ts';
import { selectLastMove } from '../ledger/statements/events.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { approveReview } from './answer-review.ts';
import { endByApproval, refuseOvertaken } from './policy-review.ts';
import { openExchange, readExchange, recordAnswer, recordAsked } from './record-exchange.ts';

/** A review by policy whose reviewer saw the work and found nothing. */
class SilentReview {
  readonly life: TaskLife;
  readonly task: TaskName;
  readonly id: string;

  constructor(life: TaskLife, task: TaskName, id: string) {
    this.life = life;
    this.task = task;
    this.id = id;
  }

  static async begin(): Promise<SilentReview> {
    const life = await TaskLife.open();
    const task = await life.inStatus('review');
    const { id } = await life.do(openExchange, {
      subject: { kind: 'task', taskId: task },
      workspace: '/ws',
      reviewers: ['critic'],
      reviewerTerms: [],
      fixer: 'dev',
      decider: 'fixer',
      roundsMax: 2,
      ask: null,
      checks: [],
      whenClean: 'done',
    });
    await life.do(recordAsked, { id, round: 1, reviewer: 'critic', session: 'ses_1', iteration: 1 });
    await life.do(recordAnswer, { id, round: 1, reviewer: 'critic', findings: [], error: null });
    return new SilentReview(life, task, id);
  }

  get exchange(): Exchange {
    const found = readExchange(this.life.at.ledger.read, this.id);
    assert.ok(!isRefusal(found));
    return found;
  }

  overtaken(): string | null {
    return refuseOvertaken(this.life.at.ledger.read, this.exchange)?.code ?? null;
  }

  async end(): Promise<readonly [why: string | undefined, status: string | undefined]> {
    await this.life.do(endByApproval, { id: this.id, reviewer: 'critic', isChecked: true });
    return [this.exchange.end?.why, selectTask(this.life.at.ledger.read, this.task)?.status];
  }

  async approve(): Promise<void> {
    const { seq } = selectLastMove(this.life.at.ledger.read, this.task);
    await this.life.do(approveReview, { taskId: this.task, seq, message: null });
  }

  async comeAgain(): Promise<void> {
    for (const to of ['blocked', 'review'] as const) await this.life.move(this.task, to);
  }
}

test('a reviewer accepts the very work that it saw', async () => {
  const review = await SilentReview.begin();
  assert.equal(review.overtaken(), null);
  assert.deepEqual(await review.end(), ['nothing-left', 'done']);
});

test('an answer of a person in the meantime counts: nobody changes the work, and the reviewer approves nothing', async () => {
  const review = await SilentReview.begin();
  await review.approve();
  assert.equal(review.overtaken(), 'review_answered');
  assert.deepEqual(await review.end(), ['overtaken', 'done']);
});

test('work that came to review again is not the work that the reviewer saw', async () => {
  const review = await SilentReview.begin();
  await review.comeAgain();
  assert.equal(review.overtaken(), 'review_answered');
  assert.deepEqual(await review.end(), ['overtaken', 'review']);
});
