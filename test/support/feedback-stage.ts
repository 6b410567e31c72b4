import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventView } from '../../src/api/contract.ts';
import type { FeedbackItemView, RoundView } from '../../src/api/feedback-contract.ts';
import type { AfpResponse } from '../../src/protocols/afp/schema.ts';
import { DataFolder, scratchFolder } from './data-folder.ts';
import { linesOf, ROOT } from './run-baton.ts';
import { TestDaemon } from './test-daemon.ts';
import { TestRepository } from './test-repository.ts';

const REVIEWER = join(ROOT, 'test/fixtures/reviewers/reviews.mjs');
const FIXER = join(ROOT, 'test/fixtures/agents/fixes-findings.mjs');

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
      forger: program(join(ROOT, 'test/fixtures/agents/forges-a-receipt.mjs')),
      believer: program(join(ROOT, 'test/fixtures/agents/obeys-findings.mjs')),
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
   * Kills the command at a point, breaks its reviewer in the configuration, goes on with it, and holds the result to that of a life
   * without a crash: an exchange keeps the reviewers that it began with.
   */
  async killed(point: string, count: number): Promise<void> {
    const repository = this.repository('- budget of it\n- keep the name\n');
    const words = ['feedback', 'plan.md', '--from', 'critic', '--fix', 'dev', '--check', 'test -f plan.md', '--json'];
    const environment = { BATON_CRASH: `feedback.${point}:${count}` };
    const first = await this.data.run(words, { folder: repository.root, environment });
    assert.notEqual(first.status, 3, `it never came to ${point}`);
    const [opened] = await this.events('feedback.opened');
    this.configure({ budgets: { run_usd: 0 } }, { critic: 'dies' });
    const { exit, last, stderr } = await this.feedback(repository, String(opened?.payload.feedback));
    assert.equal(exit, 3, stderr);
    assert.deepEqual(
      last.items.map(({ id, fate }) => [id, fate]),
      [
        ['finding-budget-of-it', 'accepted'],
        ['finding-keep-the-name', 'disputed'],
      ],
    );
    assert.deepEqual([last.rounds, last.end], [2, 'nothing-new']);
    assert.equal((await this.events('task.created')).length, 1);
    const answered = (await this.events('feedback.answered')).map(({ payload }) => payload.iteration);
    assert.deepEqual(answered, [1, 2]);
    assert.equal((await this.events('feedback.ended')).length, 1);
    assert.equal(readFileSync(join(repository.root, 'plan.md'), 'utf8'), '- budget of it\n- keep the name\n');
  }
}
