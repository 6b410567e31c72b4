import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TaskDetail } from '../../../src/api/contract.ts';
import { scratchFolder } from '../../support/data-folder.ts';
import { linesOf, runBaton } from '../../support/run-baton.ts';
import { taskFor, until } from '../../support/run-stage.ts';
import { noTerminal, TerminalRun } from '../../support/terminal-run.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

/** A home with a key in it, a repository that suggests a check, two agents, and a git that counts how often its status is asked. */
function aPerson() {
  const home = realpathSync(scratchFolder('home'));
  const repository = new TestRepository();
  const { root } = repository;
  repository.write('package.json', JSON.stringify({ scripts: { test: 'true' } }));
  repository.commit('a check');
  for (const name of ['.ssh', '.config/baton', 'bin']) mkdirSync(join(home, name), { recursive: true });
  const counted = join(home, 'asked');
  const git = `#!/bin/sh\ncase " $* " in *" status --porcelain"*) echo status >> ${counted};; esac\nexec /usr/bin/git "$@"\n`;
  writeFileSync(join(home, 'bin/git'), git, { mode: 0o755 });
  const script = join(home, 'agent.sh');
  writeFileSync(script, '#!/bin/sh\ncat > /dev/null\necho done > done.txt\n', { mode: 0o755 });
  const agent = { driver: 'process', command: [script] };
  const blocking = `touch begun; while [ ! -e ${home}/go ]; do sleep 0.1; done`;
  const blocker = { driver: 'process', command: ['sh', '-c', blocking] };
  const settings = { agents: { first: agent, second: agent, blocker }, runs: { at_once: 1 } };
  writeFileSync(join(home, '.config/baton/config.yaml'), JSON.stringify(settings));
  const environment = {
    HOME: home,
    XDG_CONFIG_HOME: '',
    XDG_STATE_HOME: '',
    BATON_DATA: '',
    PATH: `${home}/bin:${process.env['PATH']}`,
  };
  const words = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return {
    root,
    keys: join(home, '.ssh'),
    baton: (...args: string[]) => runBaton(args, { folder: root, environment }),
    atTerminal: (...args: string[]) => new TerminalRun(args, { through: ['env', ...words], cwd: root }),
    asked: () => (existsSync(counted) ? readFileSync(counted, 'utf8').trim().split('\n').length : 0),
    task(access: object, of = 'first') {
      const file = join(home, `${of}.json`);
      writeFileSync(file, JSON.stringify(taskFor(of, root, { task: { access } })));
      return file;
    },
  };
}

type Person = ReturnType<typeof aPerson>;

/** Answers every question as it comes; how often the status was asked before the last answer. */
async function answer({ asked }: Person, run: TerminalRun, answers: readonly (readonly [RegExp, string])[]) {
  let before = 0;
  for (const [question, line] of answers) {
    await run.shows(question);
    before = asked();
    run.type(`${line}\n`);
  }
  await run.ended;
  return before;
}

describe('an order is planned once, whatever a person is asked', { skip: noBubblewrap || noTerminal }, () => {
  test('the first one of a folder: which agent, and a check that the repository suggests', async () => {
    const person = aPerson();
    const run = person.atTerminal('run', 'make', 'it', 'done');
    const before = await answer(person, run, [
      [/which agent/, 'second'],
      [/npm test.*Use it\?/s, 'y'],
    ]);
    assert.equal(before, 1, run.screen);
    const [task] = linesOf<TaskDetail>(await person.baton('task', 'show', '1', '--json'));
    assert.equal(task?.agent, 'second');
    assert.match(run.screen, /checked/);
  });

  test('a program that asks for a folder and the network: the yes adds them to the order as it was planned', async () => {
    const person = aPerson();
    const { root, keys } = person;
    const file = person.task({ filesystem: { read_paths: [root, keys], write_paths: [root] }, network: 'FULL' });
    const leave = /asks to read .*\.ssh, to use the whole network\. Allow it\?/;
    const refused = person.atTerminal('run', file);
    assert.equal(await answer(person, refused, [[leave, 'n']]), 1);
    assert.equal(await refused.ended, 2, refused.screen);
    assert.ok(!existsSync(join(root, '.baton')));
    const run = person.atTerminal('run', file);
    assert.equal(await answer(person, run, [[leave, 'y']]), 2);
    assert.notEqual(await run.ended, 2, run.screen);
    assert.equal(readFileSync(join(root, 'done.txt'), 'utf8'), 'done\n');
  });

  test('by a node that stays on: it keeps the plan for the answer, and plans nothing when the order is given', async () => {
    const person = aPerson();
    const { root, keys } = person;
    assert.equal((await person.baton('up', '-d')).status, 0);
    // The only slot is taken, so no run of the order asks git.
    const blocker = person.task({ filesystem: { read_paths: [root], write_paths: [root] } }, 'blocker');
    assert.equal((await person.baton('run', blocker, '--detach')).status, 0);
    await until(() => existsSync(join(root, 'begun')));
    const before = person.asked();
    const file = person.task({ filesystem: { read_paths: [root, keys], write_paths: [root] } });
    const run = person.atTerminal('run', file, '--detach');
    await answer(person, run, [[/asks to read .*\.ssh\. Allow it\?/, 'y']]);
    assert.match(run.screen, /is queued/);
    assert.equal(person.asked() - before, 1);
    await person.baton('stop', '--all');
    await person.baton('down');
  });
});
