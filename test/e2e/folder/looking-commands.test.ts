import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { COMMANDS } from '../../../src/cli/command-list.ts';
import { scratchFolder } from '../../support/data-folder.ts';
import { BATON, type BatonRun, linesOf, runBaton } from '../../support/run-baton.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const scratch = scratchFolder('looking');

/** Commands that create something, where they succeed. */
const CREATES = [
  'run',
  'afp',
  'feedback',
  'up',
  'open',
  'init',
  'restore',
  'send',
  'task new',
  'node join',
  'invite new',
  'agent-client enrol',
  'config set',
  'config edit',
];

interface Looking {
  readonly args: string;
  readonly exit: number;
  /** On stderr. */
  readonly says?: RegExp;
}

const BEGIN = /nothing is stored in .*\.baton yet.*\n?.*baton run "what to do" or baton task new creates it/;

/** Every other command, and each failing form of one that creates something. */
const LOOKS: readonly Looking[] = [
  { args: 'status', exit: 0, says: BEGIN },
  { args: 'report', exit: 0, says: BEGIN },
  { args: 'task list', exit: 0, says: BEGIN },
  { args: 'events', exit: 0, says: BEGIN },
  { args: 'events --follow', exit: 2, says: BEGIN },
  { args: 'events --task 1', exit: 2, says: /no task "1"/ },
  { args: 'task show @', exit: 2, says: /there are no tasks yet/ },
  { args: 'task move 1 done', exit: 2, says: BEGIN },
  { args: 'task edit 1 --title x', exit: 2, says: BEGIN },
  { args: 'task cancel 1', exit: 2, says: BEGIN },
  { args: 'task retry 1', exit: 2, says: BEGIN },
  { args: 'task depend 1 2', exit: 2, says: BEGIN },
  { args: 'task claim 1 --agent emma', exit: 2, says: BEGIN },
  { args: 'task beat 1 --agent emma', exit: 2, says: BEGIN },
  { args: 'task end 1 --agent emma', exit: 2, says: BEGIN },
  { args: 'logs 1', exit: 2, says: /no task "1"/ },
  { args: 'logs 1 -f', exit: 2, says: /no task "1"/ },
  { args: 'stop 1', exit: 2, says: BEGIN },
  { args: 'stop --all', exit: 0 },
  { args: 'say 1 hello', exit: 2, says: BEGIN },
  { args: 'answer 1 yes', exit: 2, says: BEGIN },
  { args: 'continue 1', exit: 2, says: BEGIN },
  { args: 'run 1', exit: 2, says: BEGIN },
  { args: 'run words --agent nobody', exit: 2, says: /no agent is named nobody/ },
  { args: 'run words --agent demo --net bogus', exit: 2, says: /neither a preset nor a host/ },
  { args: 'run words --agent demo --workspace /not/there', exit: 2, says: /\/not\/there is not there/ },
  { args: 'run words --agent demo --check a|b', exit: 2, says: /shell syntax/ },
  { args: 'trace @', exit: 2, says: /there are no tasks yet/ },
  { args: 'rewind @', exit: 2, says: BEGIN },
  { args: 'watch extra', exit: 2, says: /takes no arguments/ },
  { args: 'session list', exit: 0, says: BEGIN },
  { args: 'session show x', exit: 2, says: /no session "x"/ },
  { args: 'session audit x', exit: 2, says: /no session "x"/ },
  { args: 'session apply x', exit: 2, says: /no session "x"/ },
  { args: 'session stop x', exit: 2, says: BEGIN },
  { args: 'session continue x', exit: 2, says: BEGIN },
  { args: 'session retry x', exit: 2, says: BEGIN },
  { args: 'session run no.yaml', exit: 2, says: /no\.yaml/ },
  { args: 'review list', exit: 0, says: BEGIN },
  { args: 'review approve 1', exit: 2, says: BEGIN },
  { args: 'review return 1 -m no', exit: 2, says: BEGIN },
  { args: 'diff 1', exit: 2, says: BEGIN },
  { args: 'apply 1', exit: 2, says: BEGIN },
  { args: 'discard 1', exit: 2, says: BEGIN },
  { args: 'undo 1', exit: 2, says: BEGIN },
  { args: 'verify 1', exit: 2, says: BEGIN },
  { args: 'receipt verify no.json', exit: 2, says: /cannot read no\.json/ },
  { args: 'receipt verify @', exit: 2, says: BEGIN },
  { args: 'node status', exit: 2, says: BEGIN },
  { args: 'node lag', exit: 2, says: BEGIN },
  { args: 'node trust left', exit: 2, says: BEGIN },
  { args: 'node remove left', exit: 2, says: BEGIN },
  { args: 'node dismiss inc_0', exit: 2, says: BEGIN },
  { args: 'node leave', exit: 2, says: BEGIN },
  { args: 'node join', exit: 2, says: /needs one server or one folder/ },
  { args: 'node server', exit: 2 },
  { args: 'capability publish cap.x --agent emma --skill s', exit: 2, says: BEGIN },
  { args: 'capability list', exit: 2, says: BEGIN },
  { args: 'capability show cap.x', exit: 2, says: BEGIN },
  { args: 'capability remove cap.x', exit: 2, says: BEGIN },
  { args: 'capability close rev_1', exit: 2, says: BEGIN },
  { args: 'message send emma hello', exit: 2, says: BEGIN },
  { args: 'message read', exit: 2, says: BEGIN },
  { args: 'message reply evt_1 hello', exit: 2, says: BEGIN },
  { args: 'message sent', exit: 2, says: BEGIN },
  { args: 'invite scout', exit: 2, says: /needs a scope/ },
  { args: 'invite new scout --scope root', exit: 2, says: /no scope "root"/ },
  { args: 'invite scout --scope admin --ttl 1h', exit: 2, says: /at most 15 minutes/ },
  { args: 'invite list', exit: 2, says: BEGIN },
  { args: 'invite revoke scout', exit: 2, says: BEGIN },
  { args: 'audit', exit: 2, says: BEGIN },
  ...['status', 'tasks', 'show T', 'claim T', 'beat T', 'update T x', 'release T', 'messages', 'send a b'].map(
    (verb) => ({
      args: `agent-client ${verb} --identity no.json`,
      exit: 2,
      says: /there is no file no\.json/,
    }),
  ),
  { args: 'agent-client complete T --outcome done', exit: 2, says: /needs the file of the agent/ },
  { args: 'agent-client call task.list', exit: 2, says: /needs the file of the agent/ },
  { args: 'agent-client enrol nowhere', exit: 2, says: /needs the address of the node/ },
  { args: 'agents', exit: 0 },
  { args: 'doctor', exit: 0 },
  { args: 'down', exit: 0 },
  { args: 'config show', exit: 0 },
  { args: 'config get http.port', exit: 0 },
  { args: 'config get budgets.day_usd', exit: 1, says: /budgets\.day_usd is not set: baton config set/ },
  {
    args: 'config get budgts.day_usd',
    exit: 2,
    says: /there is no setting budgts\.day_usd\ntry: did you mean budgets\?/,
  },
  { args: 'config set htpp.port 1', exit: 2, says: /did you mean http/ },
  { args: 'trust', exit: 2 },
  { args: 'clean', exit: 2, says: BEGIN },
  { args: 'backup copy.bak', exit: 2, says: BEGIN },
  { args: 'restore no.bak', exit: 2, says: /there is no file no\.bak/ },
  { args: 'rebuild --from ledger', exit: 2, says: BEGIN },
  { args: 'rebuild --from tree', exit: 2, says: BEGIN },
  { args: 'rebuild --from ledger --accept-loss', exit: 2, says: BEGIN },
  { args: 'completion bash', exit: 0 },
  { args: 'check no.json', exit: 2, says: /no\.json/ },
  { args: 'schema', exit: 0 },
  { args: 'run words --agent demo --dry-run', exit: 0 },
  { args: 'run', exit: 2, says: /no task given/ },
  { args: 'init extra', exit: 2, says: /takes no arguments/ },
  { args: 'send no.json', exit: 2, says: /no\.json/ },
  { args: 'up extra', exit: 2 },
  { args: 'task new', exit: 2 },
  { args: 'feedback none.md --from demo', exit: 2, says: /no such file/ },
  { args: 'feedback 1 --from demo', exit: 2 },
  { args: 'feedback fbk_0', exit: 2 },
  { args: 'feedback /etc/hostname --from nobody', exit: 2, says: /there is no agent "nobody"/ },
  { args: 'send /etc/hostname', exit: 2, says: /not a message of the five protocols/ },
  { args: '--help', exit: 0 },
];

test('every command of the table is among them, or creates something', () => {
  const names = COMMANDS.flatMap((entry) =>
    'verbs' in entry ? entry.verbs.map((verb) => `${entry.name} ${verb.name}`) : [entry.name],
  );
  const missed = names.filter(
    (name) => !CREATES.includes(name) && !LOOKS.some(({ args }) => `${args} `.startsWith(`${name} `)),
  );
  assert.deepEqual(missed, []);
});

/** Every path below a folder. */
function listing(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort();
}

for (const kind of ['repository', 'folder'] as const) {
  describe(`in an empty ${kind}`, { concurrency: 4 }, () => {
    for (const { args, exit, says = /^/ } of kind === 'folder' ? LOOKS : LOOKS.slice(0, 6)) {
      test(`baton ${args} creates nothing`, async () => {
        const place = join(scratch, `${kind} ${args.replaceAll(/\W+/g, '-')}`);
        const home = join(place, 'home');
        const here = join(place, 'here');
        for (const folder of [home, here]) mkdirSync(folder, { recursive: true });
        if (kind === 'repository') execFileSync('git', ['init', '-q'], { cwd: here });
        const before = listing(place);
        const environment = { HOME: home, XDG_STATE_HOME: '', XDG_CONFIG_HOME: '', BATON_DATA: '' };
        const run = await runBaton(args.split(' '), { folder: here, environment });
        assert.deepEqual(listing(place), before);
        assert.equal(run.status, exit, run.stdout + run.stderr);
        assert.match(run.stderr, says);
        assert.doesNotMatch(run.stderr, /^\s+at /m);
      });
    }
  });
}

test('with --json the answers are those of an empty ledger', async () => {
  const here = join(scratch, 'json');
  mkdirSync(here);
  const environment = { BATON_DATA: '' };
  const status = linesOf<Record<string, unknown>>(await runBaton(['status', '--json'], { folder: here, environment }));
  const list = await runBaton(['task', 'list', '--json'], { folder: here, environment });
  const shown = linesOf<{ code: string }>(
    await runBaton(['task', 'show', '1', '--json'], { folder: here, environment }),
  );
  assert.equal(status[0]?.['data'], join(here, '.baton'));
  assert.deepEqual([list.stdout, list.status, shown[0]?.code], ['', 0, 'task_not_found']);
  await runBaton(['init'], { folder: here, environment });
  const made = linesOf<Record<string, unknown>>(await runBaton(['status', '--json'], { folder: here, environment }));
  assert.deepEqual(status, made);
});

/** As on a disk that is mounted read-only; root may write everywhere else. */
function readOnly(here: string, args: readonly string[]): Promise<BatonRun> {
  const bound = ['--dev-bind', '/', '/', '--ro-bind', here, here, '--chdir', here];
  const environment = { HOME: `${here} home`, XDG_STATE_HOME: '', XDG_CONFIG_HOME: '', BATON_DATA: '' };
  return runBaton([...bound, BATON, ...args], { program: 'bwrap', environment });
}

/** Commands that say where nothing is stored have one way to get there: three of them stand for the others. */
const LOOKS_READ_ONLY = [
  ...LOOKS.filter(({ says }) => says === BEGIN).slice(0, 3),
  ...LOOKS.filter(({ says }) => says !== BEGIN),
];

describe('in a folder that cannot be written', { concurrency: 4, skip: noBubblewrap }, () => {
  for (const { args, exit, says = /^/ } of LOOKS_READ_ONLY) {
    test(`baton ${args} says the same`, async () => {
      const here = join(scratch, `read-only ${args.replaceAll(/\W+/g, '-')}`);
      mkdirSync(here);
      const run = await readOnly(here, args.split(' '));
      assert.equal(run.status, exit, run.stdout + run.stderr);
      assert.match(run.stderr, says);
    });
  }

  test('a data folder there is named, with what to do', async () => {
    const here = join(scratch, 'stored');
    mkdirSync(here);
    const environment = { HOME: `${here} home`, XDG_STATE_HOME: '', XDG_CONFIG_HOME: '', BATON_DATA: '' };
    await runBaton(['task', 'new', 'One'], { folder: here, environment });
    for (const args of ['status', 'task list', 'task show @', 'events', 'logs @']) {
      const run = await readOnly(here, args.split(' '));
      assert.equal(run.status, 2, `${args}: ${run.stdout}${run.stderr}`);
      assert.match(run.stderr, /^error: .*\.baton.*(read-only|cannot be written)/m, args);
      assert.match(run.stderr, /^try: .*--data FOLDER/m);
    }
  });
});
