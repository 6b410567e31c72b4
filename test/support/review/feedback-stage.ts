import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventView } from '../../../src/api/contract.ts';
import type { FeedbackItemView, RoundView } from '../../../src/api/review/feedback-contract.ts';
import type { AfpResponse } from '../../../src/protocols/afp/schema.ts';
import { DataFolder, scratchFolder } from '../data-folder.ts';
import { programOf } from '../fixture-agents.ts';
import { linesOf, ROOT } from '../run-baton.ts';
import { TestDaemon } from '../test-daemon.ts';
import { TestRepository } from '../test-repository.ts';

const REVIEWER = join(ROOT, 'test/fixtures/reviewers/reviews.mjs');
const FIXER = programOf('fixes-findings');

/** The last line of `baton feedback --json`. */
export interface LastLine {
  readonly response: AfpResponse;
  readonly rounds: number;
  readonly items: readonly Pick<
    FeedbackItemView,
    'id' | 'description' | 'foundBy' | 'fate' | 'reason' | 'firstRound' | 'lastRound'
  >[];
  readonly feedback: string;
  readonly end: string | null;
  readonly message: string | null;
  readonly task: string | null;
}

export interface FeedbackRun {
  readonly exit: number | null;
  readonly rounds: readonly RoundView[];
  readonly last: LastLine;
  readonly refused: { readonly code: string } | null;
  readonly stderr: string;
}

/** A data folder with reviewers and agents that deal with findings, each named by what it does. */
export class FeedbackStage {
  readonly folder: string;
  readonly data: DataFolder;
  daemon: TestDaemon | null = null;

  private constructor(name: string) {
    this.folder = join(scratchFolder(name), 'stage');
    mkdirSync(this.folder);
    this.data = new DataFolder(join(this.folder, 'data'));
  }

  static async begin(name: string, { isUp = false, settings = {} } = {}): Promise<FeedbackStage> {
    const stage = new FeedbackStage(name);
    await stage.data.json('init');
    stage.configure(settings);
    if (isUp) stage.daemon = await TestDaemon.start(stage.data.path);
    return stage;
  }

  /** `more`: agents beside the usual ones. */
  configure(settings: object = {}, { critic = 'well', more = {} } = {}): void {
    const program = (file: string, ...words: string[]) => ({
      driver: 'process',
      command: [process.execPath, file, ...words],
      provider: 'OTHER',
      model: 'm',
    });
    const agents = {
      critic: program(REVIEWER, critic),
      other: program(REVIEWER, 'renames-ids'),
      teller: program(REVIEWER, 'tells-its-request'),
      dies: program(REVIEWER, 'dies'),
      /** Finds one thing in the first iteration, and nothing later. */
      picky: program(REVIEWER, 'picky'),
      silent: program(REVIEWER, 'silent'),
      obeys: program(REVIEWER, 'obeys'),
      approves: program(REVIEWER, 'approves'),
      forges: program(REVIEWER, 'forges'),
      widens: program(REVIEWER, 'widens'),
      dev: program(FIXER),
      breaker: program(FIXER, 'breaks'),
      printer: program(FIXER, 'prints'),
      both: program(FIXER, 'prints-and-answers'),
      forger: program(programOf('forges-a-receipt')),
      believer: program(programOf('obeys-findings')),
      linker: program(FIXER, 'links', join(this.folder, 'secret.txt')),
      ...more,
    };
    writeFileSync(join(this.data.path, 'config.yaml'), JSON.stringify({ agents, ...settings }));
  }

  /** A repository whose plan.md has this content, committed. */
  repository(plan: string): TestRepository {
    const repository = new TestRepository();
    repository.write('plan.md', plan);
    repository.commit('a plan');
    return repository;
  }

  async feedback({ root }: TestRepository, ...words: string[]): Promise<FeedbackRun> {
    const run = await this.data.run(['feedback', ...words, '--json'], { folder: root });
    const lines = linesOf<object>(run);
    const last = (lines.at(-1) ?? {}) as LastLine;
    const refused = 'verdict' in last ? (last as unknown as FeedbackRun['refused']) : null;
    return { exit: run.status, rounds: lines.slice(0, -1) as RoundView[], last, refused, stderr: run.stderr };
  }

  /** `baton run` with words; the name of its task. */
  async run({ root }: TestRepository, words: string, ...flags: string[]): Promise<string> {
    const run = await this.data.run(['run', words, '--yes', '--json', ...flags], { folder: root });
    const { extensions } =
      linesOf<{ extensions: { x_baton: { task: string } } }>(run).at(-1) ?? assert.fail(run.stderr);
    return extensions.x_baton.task;
  }

  async events(type: string): Promise<readonly EventView[]> {
    return linesOf<EventView>(await this.data.run(['events', '--type', type, '--json']));
  }

  /**
   * Kills `baton feedback` at a point, breaks its reviewer in the configuration, goes on with it, and holds the result to that of
   * a life without a crash: an exchange keeps the reviewers that it began with. False where the command never came to the point.
   */
  async killed(point: string, critic = 'well'): Promise<boolean> {
    this.configure({}, { critic });
    const repository = this.repository('- budget of it\n- keep the name\n');
    const words = ['feedback', 'plan.md', '--from', 'critic', '--fix', 'dev', '--check', 'test -f plan.md', '--json'];
    const environment = { BATON_CRASH: point };
    const first = await this.data.run(words, { folder: repository.root, environment });
    if (first.status !== null) {
      assert.equal(first.status, 3, first.stderr);
      return false;
    }
    const [opened] = await this.events('feedback.opened');
    // Killed before the exchange was stored: nothing is left of it, and the same command begins it.
    const again = opened ? [String(opened.payload.feedback)] : words.slice(1, -1);
    if (opened) this.configure({ budgets: { run_usd: 0 } }, { critic: 'dies' });
    const { exit, last, stderr } = await this.feedback(repository, ...again);
    assert.equal(exit, 3, stderr);
    assert.deepEqual(
      last.items.map(({ id, fate }) => [id, fate]),
      [
        ['finding-budget-of-it', 'accepted'],
        ['finding-keep-the-name', 'disputed'],
      ],
    );
    assert.deepEqual([last.rounds, last.end], [2, 'nothing-new']);
    await this.#heldTogether([1, 2]);
    assert.equal(readFileSync(join(repository.root, 'plan.md'), 'utf8'), '- budget of it\n- keep the name\n');
    return true;
  }

  /** The same for `baton run` whose work a policy has reviewed, and that is accepted when nothing is left. */
  async killedInReview(point: string): Promise<boolean> {
    const review = JSON.parse('{"by":"picky","rounds":3,"then":"done"}');
    this.configure({ review });
    const repository = this.repository('- budget of it\n');
    const words = ['run', 'write it', '--agent', 'breaker', '--worktree', '--review', '--yes', '--json'];
    const check = ['--check', 'grep -q broken plan.md'];
    const environment = { BATON_CRASH: point };
    const first = await this.data.run([...words, ...check], { folder: repository.root, environment });
    if (first.status !== null) {
      assert.equal(first.status, 0, first.stderr);
      return false;
    }
    this.configure({ review: JSON.parse('{"by":"dies","then":"person"}') });
    const [created] = await this.events('task.created');
    if (!created) return true;
    const { status } = await this.data.json<{ status: string }>('task', 'show', String(created.taskId));
    // A run that was under way goes on first; its review, or what is left of it, then.
    if (status !== 'review' && status !== 'done')
      await this.data.run(['run', '@', '--json'], { folder: repository.root });
    else if (status === 'review') {
      const { status: exit, stderr } = await this.data.run(['feedback', '@', '--json'], { folder: repository.root });
      assert.equal(exit, 0, stderr);
    }
    const done = await this.data.json<{ status: string }>('task', 'show', String(created.taskId));
    assert.equal(done.status, 'done');
    const approved = await this.events('review.approved');
    assert.deepEqual(
      approved.map(({ actor }) => actor),
      ['picky'],
    );
    await this.#heldTogether([1, 2]);
    assert.equal(readFileSync(join(repository.root, 'plan.md'), 'utf8'), '- budget of it\n');
    return true;
  }

  /** One task, one exchange, each iteration answered once. */
  async #heldTogether(iterations: readonly number[]): Promise<void> {
    assert.equal((await this.events('task.created')).length, 1);
    const answered = (await this.events('feedback.answered')).map(({ payload }) => payload.iteration);
    assert.deepEqual(answered, iterations);
    assert.equal((await this.events('feedback.opened')).length, 1);
    assert.equal((await this.events('feedback.ended')).length, 1);
  }
}
