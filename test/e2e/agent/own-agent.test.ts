import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { scratchFolder } from '../../support/data-folder.ts';
import { type BatonRun, ROOT } from '../../support/run-baton.ts';
import { orderRun, RunStage } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

// What docs/writing-an-agent.md tells somebody who writes one.
const page = readFileSync(join(ROOT, 'docs', 'writing-an-agent.md'), 'utf8');
const stage = await RunStage.up('own-agent');
const tools = join(stage.folder, 'tools');
mkdirSync(tools);
stage.configure({
  agents: {
    marks: { driver: 'process', command: ['node', join(ROOT, 'examples', 'own-agent', 'list-marks.mjs')] },
  },
});

/** The first block of the page in a language. */
function fence(language: string): string {
  const found = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page)?.[1];
  if (found === undefined) throw new Error(`no ${language} on the page`);
  return found;
}

function run(words: string, agent: string, check: string, root: string): Promise<BatonRun> {
  const flags = ['--check', check, '--workspace', root, '--json', '--events'];
  return stage.data.run(['run', words, '--agent', agent, ...flags]);
}

describe('an agent of one’s own', { skip: noBubblewrap }, () => {
  test('the first page works as typed, in a new project', async () => {
    const folder = scratchFolder('first-page');
    const home = join(folder, 'home');
    mkdirSync(home);
    writeFileSync(join(home, '.gitconfig'), '[user]\nname = Jane\nemail = jane@example.org\n');
    const env = { PATH: `${join(ROOT, 'bin')}:${process.env['PATH']}`, HOME: home, TERM: 'dumb' };
    const typed = spawnSync('bash', ['-ec', fence('sh')], { cwd: folder, env, encoding: 'utf8' });
    assert.equal(typed.status, 0, typed.stdout + typed.stderr);
    assert.match(typed.stdout, /^hello +process +hello +ready$/m);
    assert.match(typed.stdout, /^checked {2}TASK-\S+ is done$/m);
    assert.match(typed.stdout, /^ {2}✓ grep hello HELLO\.md \(fixed\)$/m);
    const project = join(folder, 'shop');
    assert.equal(readFileSync(join(project, 'HELLO.md'), 'utf8'), 'hello\n');
    assert.ok(readFileSync(join(project, '.baton', 'config.yaml'), 'utf8').includes(fence('yaml').trim()));
    const again = ['run', 'greet us', '--agent', 'hello', '--check', 'grep hello HELLO.md', '--worktree', '--yes'];
    const worktree = spawnSync('baton', again, { cwd: project, env, encoding: 'utf8' });
    assert.equal(worktree.status, 0, worktree.stdout + worktree.stderr);
  });

  test('the example speaks the wire: progress, an answer, and work that is checked', async () => {
    const repository = stage.repository();
    repository.write('src/money.mjs', 'export const cents = 100;\n// FIXME rounds wrong\n');
    repository.commit('money');
    const answer = orderRun(await run('list', 'marks', 'grep money.mjs:2 MARKS.md', repository.root));
    assert.deepEqual([answer.exit, answer.own.written_by_baton], [0, false]);
    assert.equal(answer.response.execution_summary?.summary, '1 lines are marked.');
    assert.ok(answer.events.some(({ event }) => event === 'PROGRESS_UPDATE'));
  });

  test('a port of this machine can be reached where it is listed, and not where it is not', async () => {
    const server = createServer((_asked, answer) => answer.end('served')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const visit = `fetch('http://localhost:${port}/').then((a) => a.text(), () => 'closed').then((t) => require('node:fs').writeFileSync('got.txt', t))`;
    writeFileSync(join(tools, 'visits.cjs'), `${visit};process.stdin.resume();`);
    stage.configure({ agents: { visits: { driver: 'process', command: ['node', join(tools, 'visits.cjs')] } } });
    for (const [flags, got] of [
      [['--net', `localhost:${port}`], 'served'],
      [[], 'closed'],
    ] as const) {
      const { root } = stage.repository();
      const call = [
        'run',
        'visit',
        '--agent',
        'visits',
        '--check',
        `grep ${got} got.txt`,
        '--workspace',
        root,
        ...flags,
      ];
      const ended = await stage.data.run([...call, '--json']);
      assert.equal(ended.status, 0, ended.stdout);
    }
    server.close();
  });
});
