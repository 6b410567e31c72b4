import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { PointList, PointView, RewindAnswer } from '../../../src/api/trace/trace-contract.ts';
import { orderRun, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.alone('rewind');

/** Every kind of change, one command a turn. */
const STEPS = [
  'printf one > a.txt; mkdir -p d; printf "\\000\\377x" > d/bin; printf "#!/bin/sh\\n" > run.sh; chmod 755 run.sh',
  'ln -s a.txt link; printf s > secret; chmod 600 secret; : > empty; printf x > "odd name ü"',
  'rm readme.md; mv a.txt renamed.txt; printf "\\001" > d/bin; chmod 644 run.sh; ln -sfn renamed.txt link',
  'rm -r d; printf file > d; rm empty; mkdir empty; printf in > empty/in; chmod 644 secret',
  'printf "logs\\n" > .gitignore; mkdir logs; printf l > logs/l; printf two > renamed.txt',
  'true',
];

/** All files of a folder with type, mode and content. */
function stateOf(root: string, folder = ''): Record<string, string> {
  const state: Record<string, string> = {};
  for (const name of readdirSync(join(root, folder))) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (path === '.git' || path === '.baton') continue;
    const stats = lstatSync(join(root, path));
    if (stats.isDirectory()) Object.assign(state, stateOf(root, path));
    else if (stats.isSymbolicLink()) state[path] = `link ${readlinkSync(join(root, path))}`;
    else state[path] = `${(stats.mode & 0o777).toString(8)} ${readFileSync(join(root, path)).toString('hex')}`;
  }
  return state;
}

/** The states after each step, played in a copy. */
function played(root: string, steps: readonly string[]): Record<string, string>[] {
  const copy = join(dirname(root), 'played');
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
  const states = [stateOf(copy)];
  for (const step of steps) {
    execFileSync('/bin/sh', ['-c', step], { cwd: copy, stdio: 'ignore' });
    states.push(stateOf(copy));
  }
  rmSync(copy, { recursive: true });
  return states;
}

async function worked(root: string, steps: readonly string[], ...flags: string[]): Promise<string> {
  const message = taskFor('works-in-turns', root, { task: { objective: steps.join('\n') } });
  mkdirSync(join(root, '.git', 'seen'));
  let isOver = false;
  const [earlier] = query('SELECT max(seq) AS seq FROM points');
  const ended = stage.run(message, ...flags).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const recorded = query(`SELECT turn_index FROM points WHERE kind = 'turn' AND seq > ${Number(earlier?.seq ?? 0)}`);
    for (const { turn_index: index } of recorded) writeFileSync(join(root, '.git', 'seen', `${index}`), '');
    await setTimeout(20);
  }
  return (await ended).own.task;
}

function query(sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(join(stage.data.path, 'ledger.sqlite'), { readOnly: true, timeout: 5_000 });
  const rows = db.prepare(sql).all();
  db.close();
  return rows;
}

async function pointsOf(task: string): Promise<readonly PointView[]> {
  return (await stage.data.json<PointList>('rewind', task)).points;
}

async function rewind(task: string, to: string | undefined, ...flags: string[]): Promise<RewindAnswer> {
  assert.ok(to !== undefined);
  return await stage.data.json<RewindAnswer>('rewind', task, '--to', to, '--yes', ...flags);
}

function words(root: string): string[] {
  return ['--agent', 'demo', '--yes', '--json', '--workspace', root];
}

describe('rewind', { skip: noBubblewrap }, () => {
  test('every turn is a point, and its files come back byte for byte, in any order', { timeout: 120_000 }, async () => {
    const { root } = new TestRepository();
    const states = played(root, STEPS);
    const task = await worked(root, STEPS);
    const points = await pointsOf(task);
    const turns = points.filter(({ kind }) => kind === 'turn');
    assert.deepEqual(
      turns.map(({ turnIndex, files }) => [turnIndex, files]),
      [
        [0, { added: 3, changed: 0, removed: 0 }],
        [1, { added: 4, changed: 0, removed: 0 }],
        [2, { added: 1, changed: 3, removed: 2 }],
        [3, { added: 2, changed: 0, removed: 2 }],
        [4, { added: 2, changed: 1, removed: 0 }],
      ],
    );
    assert.deepEqual(stateOf(root), states.at(-1));
    const before = points.find(({ kind }) => kind === 'start');
    const last = turns.at(-1);
    const way = [turns[1], before, turns[3], turns[0], last, turns[2]];
    const wanted = [2, 0, 4, 1, 5, 3].map((at) => states[at] ?? {});
    for (const [at, point] of way.entries()) {
      const done = await rewind(task, point?.point);
      assert.deepEqual(stateOf(root), wanted[at], `to ${JSON.stringify(point)}`);
      assert.deepEqual([done.rewoundTo, done.task, done.status], [point?.point, task, 'blocked']);
      assert.match(done.savedAs, /^refs\/baton\/TASK-/);
    }
  });

  test('every transition is a point with the hash of the files then, and the task has the last one', async () => {
    const { root, ...repository } = new TestRepository();
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
    void repository;
    const task = await worked(root, [STEPS[0] as string]);
    const moves = (await pointsOf(task)).filter(({ kind }) => kind === 'transition');
    assert.deepEqual(
      moves.map(({ status }) => status),
      ['in-progress', 'review'],
    );
    assert.equal(moves[0]?.gitHash, git('rev-parse', 'HEAD'));
    assert.notEqual(moves[1]?.gitHash, moves[0]?.gitHash);
    const trace = await stage.data.run(['events', '--json', '--task', task, '--type', 'task.transitioned']);
    const hashes = trace.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).payload.message.payload.git_hash);
    assert.deepEqual(
      hashes.slice(-2),
      moves.map(({ gitHash }) => gitHash),
    );
    assert.equal(git('status', '--porcelain', '--untracked-files=no'), '');
    assert.equal(git('for-each-ref', 'refs/baton'), '');
  });

  test('checks that change no file add no point, and the moves after them have the hash of their points', async () => {
    const quiet = await pointsOf(await worked(new TestRepository().root, ['printf 1 > one'], '--check', 'test -f one'));
    assert.equal(quiet.filter(({ kind }) => kind === 'end').length, 1);
    const check = 'sh -c "date +%N > by-check"';
    const task = await worked(new TestRepository().root, ['printf 2 > two'], '--check', check);
    const points = await pointsOf(task);
    const [, checked] = points.filter(({ kind }) => kind === 'end');
    const moved = points.at(-1);
    assert.deepEqual([checked?.files.changed, moved?.kind], [1, 'transition']);
    const { stdout } = await stage.data.run(['trace', task, '--json', '--type', 'TASK_TRANSITION']);
    const hashes = stdout.match(/(?<="git_hash":")\w+/g) ?? [];
    assert.deepEqual([hashes.at(-1), moved?.gitHash], [checked?.gitHash, checked?.gitHash]);
    assert.match(
      (await stage.data.run(['rewind', task])).stdout,
      /after the run\n.*after the checks or a rollback +~1 file/,
    );
  });

  test('a file that a person changed since is refused by name, and kept when told so', async () => {
    const { root } = new TestRepository();
    const task = await worked(root, STEPS.slice(0, 2));
    writeFileSync(join(root, 'a.txt'), 'mine');
    writeFileSync(join(root, 'mine.txt'), 'mine too');
    const state = stateOf(root);
    const [start] = await pointsOf(task);
    const refused = await stage.data.run(['rewind', task, '--to', start?.point ?? '', '--yes', '--json']);
    assert.equal(refused.status, 2);
    const { code, errors, hint } = JSON.parse(refused.stdout);
    assert.deepEqual(
      [code, errors.slice(1).map(({ message }: { message: string }) => message)],
      ['changed_since', ['a.txt']],
    );
    assert.match(hint, /--keep saves them first/);
    assert.deepEqual(stateOf(root), state);
    const shown = await stage.data.run(['rewind', task, '--to', start?.point ?? '', '--dry-run']);
    assert.doesNotMatch(shown.stdout, /mine\.txt/);
    const done = await rewind(task, start?.point, '--keep');
    assert.deepEqual(done.kept, ['a.txt']);
    assert.deepEqual(Object.keys(stateOf(root)), ['mine.txt', 'readme.md']);
    const back = await rewind(task, done.before);
    assert.deepEqual([stateOf(root), back.kept], [state, []]);
  });

  test('files that the task never touched stay, whatever is rewound, undone and applied', async () => {
    const { root } = new TestRepository();
    const task = await worked(root, ['printf 1 > one', 'printf 2 > two; rm one']);
    writeFileSync(join(root, 'mine.txt'), 'mine');
    writeFileSync(join(root, 'readme.md'), 'changed by me');
    const [first, second] = (await pointsOf(task)).filter(({ kind }) => kind === 'turn');
    const names = () => Object.keys(stateOf(root)).sort();
    const done = await rewind(task, first?.point);
    assert.deepEqual([names(), done.kept], [['mine.txt', 'one', 'readme.md'], []]);
    // The state before that rewind has the files of the person, too.
    await rewind(task, done.before);
    assert.deepEqual(names(), ['mine.txt', 'readme.md', 'two']);
    const undone = await stage.data.json<{ files: string[] }>('undo', task);
    assert.deepEqual([names(), undone.files], [['mine.txt', 'readme.md'], ['two']]);
    await rewind(task, second?.point);
    assert.deepEqual(names(), ['mine.txt', 'readme.md', 'two']);
    assert.equal(readFileSync(join(root, 'readme.md'), 'utf8'), 'changed by me');
  });

  test('a rewind is an event, what came after the point is superseded, and it can be rewound', async () => {
    const { root } = new TestRepository();
    const task = await worked(root, STEPS.slice(0, 3));
    const status = (await stage.task(task)).status;
    const [first, second] = (await pointsOf(task)).filter(({ kind }) => kind === 'turn');
    const superseded = async () => {
      const events = await stage.data.run(['trace', task, '--json', '--type', 'TURN']);
      return events.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).superseded ?? false);
    };
    const done = await rewind(task, first?.point);
    assert.deepEqual(await superseded(), [false, true, true]);
    assert.equal((await stage.task(task)).status, 'blocked');
    await rewind(task, second?.point);
    assert.deepEqual(await superseded(), [false, false, true]);
    const back = await rewind(task, done.before);
    assert.deepEqual(await superseded(), [false, false, false]);
    assert.equal(back.status, status);
    const { stdout } = await stage.data.run(['events', '--json', '--task', task, '--type', 'task.rewound']);
    assert.equal(stdout.trim().split('\n').length, 3);
  });

  test('work in a worktree is rewound there, and apply brings what is left', async () => {
    const { root } = new TestRepository();
    const ended = await stage.data.run(['run', '@demo write work.txt hello', ...words(root), '--worktree']);
    const { task } = orderRun(ended).own;
    const [start, ...rest] = await pointsOf(task);
    await rewind(task, start?.point);
    const mine = Object.keys(stateOf(root));
    assert.match((await stage.data.run(['diff', task])).stdout, /nothing changed/);
    await rewind(task, rest.at(-1)?.point);
    assert.deepEqual(Object.keys(stateOf(root)), mine);
    assert.equal((await stage.data.run(['apply', task])).status, 0);
    assert.deepEqual(Object.keys(stateOf(root)), [...mine, 'work.txt']);
    const applied = await stage.data.run(['rewind', task, '--to', start?.point ?? '', '--yes']);
    assert.equal(applied.status, 2);
    assert.match(applied.stderr, /baton undo TASK-\S+ takes it out of them/);
  });

  test('a rewind that was killed in the middle is repeated, and nothing of the state before it is lost', async () => {
    const { root } = new TestRepository();
    const script = ['a', 'b', 'c', 'd'].map((name) => `@demo write ${name}.txt ${name}`).join('\n');
    const { task } = orderRun(await stage.data.run(['run', script, ...words(root)])).own;
    const state = stateOf(root);
    const before = await pointsOf(task);
    const args = ['rewind', task, '--to', before[0]?.point ?? '', '--yes', '--json'];
    const killed = await stage.data.run(args, { environment: { BATON_CRASH: 'workspace.file-moved:2' } });
    assert.notEqual(killed.status, 0);
    assert.equal(Object.keys(stateOf(root)).length, Object.keys(state).length - 2);
    assert.deepEqual((await pointsOf(task)).length, before.length);
    const done = await rewind(task, before[0]?.point);
    assert.deepEqual(Object.keys(stateOf(root)), ['readme.md']);
    await rewind(task, before.at(-1)?.point);
    assert.deepEqual(stateOf(root), state);
    assert.deepEqual(done.kept, []);
  });

  test('undo takes back the rest of the work after a rewind, and continue goes on from there', async () => {
    const { root } = new TestRepository();
    const task = await worked(root, ['printf 1 > one', 'printf 2 > two']);
    const [, second] = (await pointsOf(task)).filter(({ kind }) => kind === 'turn');
    const [first] = (await pointsOf(task)).filter(({ kind }) => kind === 'turn');
    assert.ok(first && second);
    await rewind(task, first.point);
    assert.deepEqual(Object.keys(stateOf(root)), ['one', 'readme.md']);
    const again = await stage.data.run(['continue', task, '--agent', 'shows-prompt', '--yes', '--json']);
    assert.match(again.stdout + again.stderr, /state right after turn 0, counted from 0/);
    assert.equal((await stage.data.run(['undo', task])).status, 0);
    assert.deepEqual(Object.keys(stateOf(root)), ['readme.md']);
  });

  const REFUSED: readonly (readonly [what: string, args: readonly string[], code: string, says: RegExp])[] = [
    ['an unknown point', ['--to', '99', '--yes'], 'point_not_found', /baton rewind TASK-\S+ lists its points/],
    ['a word', ['--to', 'yesterday', '--yes'], 'point_not_found', /has no point \\"yesterday\\"/],
    ['nobody to ask', ['--to', '1'], 'invalid_argument', /--dry-run shows what it would change, --yes does it/],
  ];

  test('what cannot be done is refused with what to do, and changes nothing', async () => {
    const { root } = new TestRepository();
    const { task } = orderRun(await stage.data.run(['run', '@demo write work.txt hello', ...words(root)])).own;
    const state = stateOf(root);
    for (const [what, args, code, says] of REFUSED) {
      const refused = await stage.data.run(['rewind', task, ...args, '--json']);
      assert.equal(refused.status, 2, what);
      assert.equal(JSON.parse(refused.stdout).code, code, what);
      assert.match(refused.stdout, says, what);
    }
    assert.equal((await stage.data.run(['rewind', task, '--to', '1', '--dry-run'])).status, 0);
    assert.equal((await stage.data.run(['rewind', task, '--keep'])).status, 2);
    const never = await stage.data.newTask('Never run');
    assert.match((await stage.data.run(['rewind', never.id])).stderr, /never given to an agent/);
    assert.deepEqual(stateOf(root), state);
  });
});
