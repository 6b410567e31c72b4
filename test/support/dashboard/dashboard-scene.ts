import { until } from '../run-stage.ts';
import { taken } from '../taken.ts';
import type { DashboardStage } from './dashboard-stage.ts';

/** The tasks of a scene by their parts in it. */
export interface Scene {
  readonly review: string;
  readonly failed: string;
  readonly running: string;
  readonly waiting: string;
  readonly applied: string;
}

const MONEY = 'export function add(one, other) {\n  return Math.round((one + other) * 100) / 100;\n}\n';
const MONEY_TEST = "import { add } from '../src/money.js';\n\ntest('adds', () => expect(add(1, 2)).toBe(3));\n";

/** A working day: something of everything that a page can show. Its agents are scripted, its runs are real. */
export async function playScene(stage: DashboardStage): Promise<Scene> {
  stage.repository.write('src/money.js', MONEY);
  stage.repository.write('test/money.test.js', MONEY_TEST);
  stage.repository.commit('money');
  const review = await stage.order(
    [
      'Add tests for money.js',
      '@think There is one test. Rounding and negative sums have none.',
      '@bash grep -n "Math.round" src/money.js',
      "@write test/money.test.js import { add } from '../src/money.js';\\n\\ntest('adds', () => expect(add(1, 2)).toBe(3));\\ntest('rounds to cents', () => expect(add(0.1, 0.2)).toBe(0.3));\\ntest('takes negative sums', () => expect(add(5, -7)).toBe(-2));",
      '@cost 0.12 18000 900',
      '@think The helper of the tests deserves a name of its own.',
      '@write test/cents.js export const cents = (sum) => Math.round(sum * 100);',
      '@bash printf "\\033[32m✓\\033[0m 3 tests passed\\n"',
      '@cost 0.31 42000 2100',
      '@say Done. I added two tests and a helper.',
    ],
    { worktree: true, checks: ['grep -c rounds test/money.test.js', 'test -f test/cents.js'] },
  );
  await stage.until(review, 'review');
  const { feedback } = taken(
    await stage.client.beginFeedback({
      task: review,
      workspace: stage.repository.root,
      from: ['codex'],
      fix: 'claude',
    }),
  );
  await until(async () => taken(await stage.client.showFeedback({ feedback })).end !== null);
  const applied = await stage.order(
    [
      'Write the changelog',
      '@write CHANGELOG.md # Changes\\n\\n- Sums are rounded.',
      '@cost 0.05 9000 400',
      '@say Done.',
    ],
    { worktree: true, checks: ['grep rounded CHANGELOG.md'], agent: 'gemini', reviewRequired: false },
  );
  await stage.until(applied, 'done');
  taken(await stage.client.applyWork({ task: applied }));
  const failed = await stage.order(
    [
      'Port the parser',
      '@think I port it line by line.',
      '@write src/parser.js export const parse = (text) => text;',
      '@bash echo "FAIL test/parser.test.js > reads an empty list"; exit 1',
      '@cost 0.44 61000 5200',
      '@say The parser is ported.',
    ],
    {
      worktree: true,
      agent: 'codex',
      retries: 0,
      checks: ['test -f src/parser.js', 'sh -c "echo expected [] but got undefined; exit 1"'],
    },
  );
  await stage.until(failed, 'blocked');
  const running = await stage.order(
    [
      'Fix the flaky login test',
      '@think The session is lost between two requests.',
      '@write test/login.test.js test("retries after a lost session", () => {});',
      '@cost 0.08 12000 700',
      '@bash echo "FAIL test/login.test.js > retries after a lost session"; exit 1',
      '@sleep 600000',
    ],
    { worktree: true },
  );
  await stage.until(running, 'in-progress');
  const waiting = taken(
    await stage.client.createTask({ title: 'Release notes', agent: 'gemini', dependsOn: [running] }),
  ).id;
  return { review, failed, running, waiting, applied };
}

/** Every page: a name for its picture, its address, and something that is there once it has read what it shows. */
export function pagesOf(scene: Scene): readonly (readonly [name: string, path: string, shows: string])[] {
  return [
    ['home', '/', '.row'],
    ['task', `/tasks/${scene.review}?show=diff`, '.diff-code'],
    ['failed', `/tasks/${scene.failed}?show=checks`, '.check'],
    ['running', `/tasks/${scene.running}`, '.turn-parts'],
    ['reviews', `/tasks/${scene.review}?show=reviews`, '.reviews'],
    ['receipt', `/tasks/${scene.review}?show=receipt`, '.panel-body table'],
    ['cost', `/tasks/${scene.review}?show=cost`, '.cost table'],
    ['raw', `/tasks/${scene.review}?show=raw`, '.terminal-line'],
    ['board', '/board', '.card'],
    ['sessions', '/sessions', 'h1'],
    ['agents', '/agents', 'main tbody tr'],
    ['nodes', '/nodes', '.command'],
    ['events', '/events', '.event-row'],
    ['new-task', '/new', 'textarea'],
  ];
}
