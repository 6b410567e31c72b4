import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { aofExample, DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { BATON } from '../../support/run-baton.ts';

// What a person sees, word for word; only days, times and run ids are made the same.

const scratch = scratchFolder('tasks-human');

function steady(text: string): string {
  return (
    text
      .replaceAll(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}/g, 'DAY AND TIME')
      // Around midnight the day stands before the time.
      .replaceAll(/(?:\d{4}-\d{2}-\d{2} )?\d{2}:\d{2}/g, 'HH:MM')
      .replaceAll(/TASK-\d{4}-\d{2}-\d{2}-/g, 'TASK-YYYY-MM-DD-')
      .replaceAll(/run_[0-9A-Z]{26}/g, 'run_ID')
      .replaceAll(scratch, 'SCRATCH')
  );
}

async function seen(data: DataFolder, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await data.run(args);
  return steady(stdout + stderr);
}

test('a reason that an operator wrote is shown in his words, also where Baton writes the same ones', async () => {
  const data = new DataFolder(join(scratch, 'words'));
  for (const reason of ['session_end_done', 'claim', 'retry', 'E_UNKNOWN: disk']) {
    const { id } = await data.newTask(`Wait for ${reason}`);
    await data.json('task', 'move', id, 'blocked', '--reason', reason);
    assert.match(await seen(data, 'task', 'show', id), new RegExp(`^reason +${reason}$`, 'm'));
    assert.ok((await seen(data, 'status')).includes(`  ${reason}\n`));
    assert.ok((await seen(data, 'events', '--task', id)).includes(`moved it from backlog to blocked (${reason})\n`));
  }
});

test('the life of three tasks, as a person sees it', async () => {
  const data = new DataFolder(join(scratch, 'life'));
  const steps: (readonly [args: string[], shown: string])[] = [
    [['task', 'list'], 'no tasks yet\nnext: baton task new "what to do"\n'],
    [['status'], 'no open tasks in SCRATCH/life\nnext: baton task new "what to do"\n'],
    [
      ['task', 'new', 'Write', 'the', 'README', '--agent', 'emma', '--priority', 'high', '--body', 'For newcomers.'],
      'created TASK-YYYY-MM-DD-001  Write the README\nnext: baton task claim TASK-YYYY-MM-DD-001 --agent emma\n',
    ],
    [
      ['task', 'new', 'Test the login', '--depends-on', '@', '--no-review', '--tag', 'qa'],
      'created TASK-YYYY-MM-DD-002  Test the login\nnext: baton run TASK-YYYY-MM-DD-002 --data SCRATCH/life  have an agent do it now\n',
    ],
    [
      ['task', 'new', 'Deploy'],
      'created TASK-YYYY-MM-DD-003  Deploy\nnext: baton run TASK-YYYY-MM-DD-003 --data SCRATCH/life  have an agent do it now\n',
    ],
    [
      ['task', 'move', 'deploy', 'blocked', '--reason', 'no credentials'],
      'TASK-YYYY-MM-DD-003 is blocked now  Deploy\n',
    ],
    [
      ['task', 'claim', '1', '--agent', 'emma'],
      'emma holds TASK-YYYY-MM-DD-001  Write the README\n' +
        'run run_ID, until HH:MM unless renewed\n' +
        'next: baton task beat TASK-YYYY-MM-DD-001 --agent emma; at the end baton task end TASK-YYYY-MM-DD-001 --agent emma\n',
    ],
    [['task', 'beat', '1', '--agent', 'emma'], 'emma holds TASK-YYYY-MM-DD-001 until HH:MM\n'],
    [
      ['task', 'list'],
      'TASK-YYYY-MM-DD-001  in-progress  high      emma  Write the README\n' +
        'TASK-YYYY-MM-DD-002  backlog      normal    -     Test the login\n' +
        'TASK-YYYY-MM-DD-003  blocked      normal    -     Deploy\n',
    ],
    [
      ['task', 'show', '1'],
      'TASK-YYYY-MM-DD-001  Write the README\n' +
        'status      in-progress since HH:MM\n' +
        'reason      taken by an agent\n' +
        'priority    high\n' +
        'agent       emma\n' +
        'review      required\n' +
        'created     DAY AND TIME by operator\n' +
        'file        tasks/in-progress/TASK-YYYY-MM-DD-001.md\n' +
        '\n' +
        'Runs\n' +
        '  emma  running    HH:MM to now  no report  run_ID\n' +
        '\n' +
        'For newcomers.\n',
    ],
    [
      ['status'],
      'Running (1)\n' +
        '  TASK-YYYY-MM-DD-001  emma  since HH:MM  Write the README\n' +
        '\n' +
        'Needs you (1)\n' +
        '  TASK-YYYY-MM-DD-003  blocked  Deploy · operator\n' +
        '                       no credentials\n' +
        '                       baton task retry TASK-YYYY-MM-DD-003 --data SCRATCH/life\n' +
        '                       baton task cancel TASK-YYYY-MM-DD-003 --data SCRATCH/life\n' +
        '\n' +
        'Waiting (1)\n' +
        '  TASK-YYYY-MM-DD-002  backlog  -  Test the login\n',
    ],
    [['task', 'end', '1', '--agent', 'emma'], 'emma ended without a report; TASK-YYYY-MM-DD-001 is ready now\n'],
    [['task', 'edit', '1', '--title', 'Write a README'], 'edited TASK-YYYY-MM-DD-001  Write a README\n'],
    [['task', 'retry', '3'], 'TASK-YYYY-MM-DD-003 is ready now  Deploy\n'],
    [['task', 'depend', '3', '2'], 'TASK-YYYY-MM-DD-003 waits for TASK-YYYY-MM-DD-002\n'],
    [['task', 'cancel', '3'], 'TASK-YYYY-MM-DD-003 is cancelled now  Deploy\n'],
    [['task', 'list', 'review'], 'no task matches\n'],
    [
      ['task', 'list'],
      'TASK-YYYY-MM-DD-001  ready        high      emma  Write a README\n' +
        'TASK-YYYY-MM-DD-002  backlog      normal    -     Test the login\n' +
        'and 1 done or cancelled: baton task list --all\n',
    ],
  ];
  await data.json('init');
  for (const [args, shown] of steps) assert.equal(await seen(data, ...args), shown, args.join(' '));
});

test('a message is answered with what it did, in words', async () => {
  const data = new DataFolder(join(scratch, 'send'));
  const { id } = await data.newTask('Users');
  await data.json('task', 'claim', id, '--agent', 'swe-backend');
  const send = async (message: object) => {
    const run = await data.run(['send'], { input: [JSON.stringify(message)] });
    return steady(run.stdout + run.stderr);
  };
  const done = aofExample('example-1-completion-report', { 'TASK-2026-02-09-057': id });
  const told = await send(done);
  assert.match(told, /^TASK-YYYY-MM-DD-001: swe-backend reported done/);
  assert.match(told, /\nit is in-progress\n$/);
  assert.equal(
    await send({ ...done, taskId: 'TASK-2000-01-01-001' }),
    'error: there is no task TASK-2000-01-01-001\ntry: name a task that baton task list shows\n'.replaceAll(
      'TASK-2000-01-01-',
      'TASK-YYYY-MM-DD-',
    ),
  );
  const events = await seen(data, 'events', '--task', id);
  assert.match(events, /^ +1 {2}DAY AND TIME {2}TASK-YYYY-MM-DD-001 {2}operator {6}created it: Users$/m);
  assert.match(events, /swe-backend {3}moved it from ready to in-progress \(taken by an agent\)$/m);
  assert.match(events, /swe-backend {3}reported done$/m);
});

test('what agents write cannot write to the terminal', async () => {
  const data = new DataFolder(join(scratch, 'controls'));
  const title = 'Red \u001b[31malert\u001b[0m \u202eevil \u0007';
  await data.newTask(title, '--body', 'line\n\u001b]52;c;aGk=\u0007\n\tindented');
  for (const args of [['task', 'list'], ['task', 'show', '1'], ['status'], ['events']]) {
    const { stdout } = await data.run(args);
    assert.doesNotMatch(stdout, /[\u001b\u0007\u202e]/, args.join(' '));
    assert.match(stdout, /Red \\u001b\[31malert/);
  }
  assert.equal((await data.json<{ title: string }>('task', 'show', '1')).title, title);
});

const hasScript = spawnSync('script', ['--version']).status === 0;

test('colours are for a terminal that wants them', {
  skip: hasScript ? false : 'there is no script(1) here',
}, async () => {
  const data = new DataFolder(join(scratch, 'colours'));
  await data.newTask('Colourful');
  const onTerminal = (environment: Record<string, string>, ...flags: string[]) => {
    const command = `'${BATON}' task list --data '${data.path}' ${flags.join(' ')}`;
    const env = { ...process.env, TERM: 'xterm', NO_COLOR: '', ...environment };
    return spawnSync('script', ['-qec', command, '/dev/null'], { env, encoding: 'utf8' }).stdout;
  };
  assert.match(onTerminal({}), /\u001b\[1mTASK-/);
  for (const plain of [onTerminal({ NO_COLOR: '1' }), onTerminal({ TERM: 'dumb' }), onTerminal({}, '--no-color')])
    assert.doesNotMatch(plain, /\u001b/);
  assert.doesNotMatch((await data.run(['task', 'list'])).stdout, /\u001b/);
});

test('events are one a line, in order, since a number, an instant or today, of all or of one task', async () => {
  const data = new DataFolder(join(scratch, 'events'));
  const first = await data.newTask('First');
  await data.newTask('Second');
  await data.json('task', 'claim', first.id, '--agent', 'emma');
  const numbers = async (...flags: string[]) => {
    const { stdout } = await data.run(['events', '--json', ...flags]);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { eventId: number }).eventId);
  };
  const all = await numbers();
  assert.deepEqual(
    all,
    all.map((_, at) => at + 1),
  );
  assert.deepEqual(await numbers('--since', '2'), all.slice(2));
  assert.deepEqual(await numbers('--since', 'today'), all);
  assert.deepEqual(await numbers('--since', '2000-01-01T00:00:00Z'), all);
  assert.deepEqual(await numbers('--since', '2999-01-01T00:00:00+02:00'), []);
  assert.deepEqual(await numbers('--task', 'second'), [2]);
  const [event] = await data.eventsOf(first.id);
  assert.deepEqual(Object.keys(event ?? {}), [
    ...['eventId', 'type', 'timestamp', 'actor', 'taskId', 'runId', 'sessionId', 'payload'],
  ]);
});

test('a task whose agent was removed from the configuration says that it waits for it', async () => {
  const data = new DataFolder(join(scratch, 'removed'));
  await data.json('init');
  const config = join(data.path, 'config.yaml');
  writeFileSync(config, "agents: { emma: { driver: process, command: ['true'] } }\n");
  await data.json('task', 'new', 'Write', '--agent', 'emma');
  const asked = async () => [await seen(data, 'status'), await seen(data, 'task', 'show', '1')];
  for (const page of await asked()) assert.doesNotMatch(page, /waits/);
  writeFileSync(config, 'agents: {}\n');
  for (const page of await asked()) assert.match(page, /waits for agent emma, which is not configured\n/);
  const [line] = (await data.json<{ waiting: readonly { missingAgent: string | null }[] }>('status')).waiting;
  assert.equal(line?.missingAgent, 'emma');
});
