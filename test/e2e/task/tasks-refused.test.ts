import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, test } from 'node:test';
import type { TaskView } from '../../../src/api/task/task-view.ts';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { linesOf, runBaton } from '../../support/run-baton.ts';

const scratch = scratchFolder('tasks-refused');
const data = new DataFolder(join(scratch, 'data'));
let readme: TaskView;
let login: TaskView;

before(async () => {
  readme = await data.newTask('Write the README');
  login = await data.newTask('Write the login', '--agent', 'emma', '--resource', 'port-80');
});

interface Refusal {
  readonly verdict: string;
  readonly code: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  readonly hint: string;
}

const REFUSED: readonly (readonly [args: string, code: string, message: RegExp])[] = [
  ['task nwe', 'usage', /no command "task nwe"/],
  ['task new', 'usage', /a task needs a title/],
  ['task new a --title b', 'usage', /both/],
  ['task new a --priority urgent', 'usage', /no priority "urgent"/],
  ['task new a --key=', 'usage', /the key is empty/],
  ['task new a --agent dispatcher', 'invalid_argument', /"dispatcher" is not a valid agent name/],
  ['task new a --parent 999', 'task_not_found', /there is no task "999"/],
  ['task new a --depends-on TASK-2000-01-01-001', 'task_not_found', /TASK-2000-01-01-001/],
  ['task list weird', 'usage', /no status "weird"/],
  ['task list ready blocked', 'usage', /too many arguments: blocked/],
  ['task list --limit many', 'usage', /"many" is not a number/],
  ['task list --parent 999', 'task_not_found', /999/],
  ['task show', 'usage', /needs a task/],
  ['task show 999', 'task_not_found', /there is no task "999"/],
  ['task show tsk_01', 'task_not_found', /tsk_01/],
  ['task show no such words', 'task_not_found', /no such words/],
  ['task show write', 'ambiguous_task', /"write" fits several tasks/],
  ['task move 1', 'usage', /a task and a status/],
  ['task move 1 finished', 'usage', /no status "finished"/],
  [
    'task move 1 done',
    'invalid_transition',
    /is backlog and cannot go to done: it may go to ready, blocked, cancelled/,
  ],
  ['task edit 1', 'usage', /nothing to change/],
  ['task edit 1 --review --no-review', 'usage', /both/],
  ['task edit 1 --agent all', 'invalid_argument', /"all" is not a valid agent name/],
  ['task retry 1', 'invalid_transition', /only a blocked or deadletter task/],
  ['task depend 1', 'usage', /needs a task to wait for/],
  ['task depend 1 1', 'dependency_cycle', /waits for/],
  ['task claim 1', 'usage', /needs an agent/],
  ['task claim --agent emma', 'usage', /needs a task/],
  ['task claim 2 --agent bob', 'unauthorized_agent', /is routed to emma, not to bob/],
  ['task beat 1 --agent emma', 'not_running', /no run of .* is live/],
  ['task end 1 --agent emma', 'not_running', /no run of .* is live/],
  ['events --follow --task 999', 'task_not_found', /999/],
  ['events --since yesterday', 'usage', /neither an event number nor an instant/],
  ['events --task 999', 'task_not_found', /999/],
  ['events --run nope', 'invalid_argument', /there is no run "nope"/],
  ['events --session nope', 'invalid_argument', /there is no session "nope"/],
  ['events --follow --session nope', 'invalid_argument', /there is no session "nope"/],
  ['rebuild', 'usage', /needs --from ledger or --from tree/],
  ['backup', 'usage', /one file/],
  ['restore', 'usage', /one file/],
  ['restore /no/such/file', 'unreadable_file', /there is no file \/no\/such\/file/],
  ['send /no/such/file', 'unreadable_file', /cannot read \/no\/such\/file/],
  ['send /no/such/file.ndjson', 'unreadable_file', /cannot read/],
  ['status now', 'usage', /takes no arguments/],
];

for (const [words, code, message] of REFUSED) {
  test(`refused in two lines, and as one JSON value: baton ${words}`, async () => {
    const run = await data.run([...words.split(' '), '--json']);
    const [refusal, more] = linesOf<Refusal>(run);
    assert.deepEqual([run.status, refusal?.verdict, refusal?.code, more], [2, 'refused', code, undefined]);
    assert.deepEqual(Object.keys(refusal ?? {}), ['verdict', 'code', 'errors', 'hint']);
    assert.match(refusal?.errors[0]?.message ?? '', message);
    const told = run.stderr.split('\n');
    assert.equal(told[0], `error: ${refusal?.errors[0]?.message}`);
    assert.equal(told.at(-2), `try: ${refusal?.hint}`);
  });
}

test('baton task alone lists its commands, and nothing was done', async () => {
  const run = await data.run(['task']);
  assert.deepEqual([run.status, run.stderr], [2, '']);
  for (const verb of ['new', 'list', 'show', 'move', 'edit', 'cancel', 'retry', 'depend', 'claim', 'beat', 'end']) {
    assert.match(run.stdout, new RegExp(`^  ${verb} `, 'm'));
    const help = await runBaton(['task', verb, '--help']);
    assert.equal(help.status, 0);
    assert.match(help.stdout, new RegExp(`^usage: baton task ${verb} [\\s\\S]*^Examples\n {2}baton task ${verb}`, 'm'));
  }
});

test('a wrong call makes no data folder', async () => {
  const never = new DataFolder(join(scratch, 'never'));
  for (const args of [
    ['task', 'new'],
    ['task', 'move', '1', 'finished'],
    ['task', 'new', '--help'],
    ['send', '/no/file'],
  ])
    await never.run(args);
  assert.ok(!never.has('.'));
});

test('a task is found by name, uid, number, words and @, and what is ambiguous is listed', async () => {
  const ids = async (...words: string[]) => (await data.json<TaskView>('task', 'show', ...words)).id;
  assert.equal(await ids(readme.id), readme.id);
  assert.equal(await ids(readme.id.toLowerCase()), readme.id);
  assert.equal(await ids(readme.uid), readme.id);
  assert.equal(await ids('1'), readme.id);
  assert.equal(await ids('002'), login.id);
  assert.equal(await ids('README'), readme.id);
  assert.equal(await ids('write', 'login'), login.id);
  await data.json('task', 'edit', readme.id, '--priority', 'low', '--reason', 'later');
  assert.equal(await ids('@'), readme.id);
  const run = await data.run(['task', 'show', 'write']);
  assert.equal(
    run.stderr,
    `error: "write" fits several tasks\n  ${login.id}  Write the login\n  ${readme.id}  Write the README\ntry: name one of the candidates\n`,
  );
});

const FOLDERS: readonly (readonly [what: string, path: string])[] = [
  ['the home folder', homedir()],
  ['the root', '/'],
  ['no name', ''],
];

for (const [what, path] of FOLDERS) {
  test(`${what} is no data folder`, async () => {
    const run = await runBaton(['task', 'list', '--json', `--data=${path}`]);
    assert.deepEqual([run.status, linesOf<Refusal>(run)[0]?.code], [2, 'usage']);
  });
}

test('a file is no data folder, nor is a folder below one', async () => {
  writeFileSync(join(scratch, 'file'), '');
  for (const path of ['file', 'file/below']) {
    const run = await runBaton(['task', 'list', '--json', '--data', join(scratch, path)]);
    assert.equal(run.status, 2, run.stderr);
    assert.equal(linesOf<Refusal>(run)[0]?.verdict, 'refused');
  }
});

test('without --data the folder is .baton at the git root, and BATON_DATA wins over it', async () => {
  const inside = join(scratch, 'repository', 'src', 'deep');
  mkdirSync(inside, { recursive: true });
  mkdirSync(join(scratch, 'repository', '.git'));
  const at = async (environment: Record<string, string>) => {
    const run = await runBaton(['status', '--json'], { folder: inside, environment });
    return linesOf<{ data: string }>(run)[0]?.data;
  };
  assert.equal(await at({ BATON_DATA: '' }), join(scratch, 'repository', '.baton'));
  await new DataFolder(join(scratch, 'elsewhere')).json('init');
  assert.equal(await at({ BATON_DATA: join(scratch, 'elsewhere') }), join(scratch, 'elsewhere'));
});

test('a message that is not accepted says why, in the shape of send', async () => {
  const message = { protocol: 'aof', version: 1, type: 'status.update', taskId: readme.id };
  const malformed = await data.send(message);
  assert.deepEqual([malformed.exit, malformed.verdict, malformed.code], [2, 'malformed', 'invalid_envelope']);
  assert.deepEqual(
    malformed.events.map(({ type }) => type),
    ['protocol.message.rejected'],
  );
  assert.ok(malformed.errors.length > 0 && malformed.hint);
  const unknown = await data.send({ ...message, type: 'status.downdate' });
  assert.deepEqual([unknown.verdict, unknown.code], ['malformed', 'unknown_type']);
  const foreign = await data.send({ hello: 'world' });
  assert.deepEqual([foreign.exit, foreign.verdict, foreign.code, foreign.events], [2, 'foreign', null, []]);
  const other = await data.run(['send', '--json', 'test/corpus/afp/accepted/first-request.json']);
  assert.deepEqual([other.status, linesOf<Refusal>(other)[0]?.code], [2, 'not_served']);
  const bytes = await data.run(['send', '-', '--json'], { input: [Buffer.from([0x7b, 0xff, 0xfe])] });
  assert.deepEqual([bytes.status, linesOf<Refusal>(bytes)[0]?.code], [2, 'invalid_json']);
  const keys = ['verdict', 'code', 'errors', 'warnings', 'hint', 'events', 'task'];
  for (const answer of [malformed, foreign]) assert.deepEqual(Object.keys(answer), [...keys, 'exit']);
});

test('a ledger that fails under a running command ends it with exit 1, and nothing of it is kept', async () => {
  const failing = new DataFolder(join(scratch, 'failing'));
  await failing.newTask('Before');
  const ledger = new DatabaseSync(join(failing.path, 'ledger.sqlite'));
  ledger.exec("CREATE TRIGGER broken BEFORE INSERT ON tasks BEGIN SELECT RAISE(ABORT, 'no luck'); END");
  ledger.close();
  const run = await failing.run(['task', 'new', 'Never', '--json']);
  assert.equal(run.status, 1);
  assert.match(run.stderr, /^error: the ledger failed: .*no luck.*\ntry: run the command again/);
  assert.equal(linesOf<Refusal>(run)[0]?.code, 'ledger_failed');
  const tasks = linesOf<TaskView>(await failing.run(['task', 'list', '--json']));
  assert.deepEqual(
    tasks.map(({ title }) => title),
    ['Before'],
  );
});
