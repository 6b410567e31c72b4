import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RunStage } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.alone('worktree-agent');
const AGENT = "require('node:fs').writeFileSync('made.txt', 'made'); process.stdin.resume();\n";

describe('an agent whose program lies in the workspace', { skip: noBubblewrap }, () => {
  test('the plan says which of its files the worktree will lack or have in an older version, and what to do', async () => {
    const repository = stage.repository();
    repository.write('.gitignore', 'local/\n');
    repository.write('tools/committed.cjs', AGENT);
    repository.commit('an agent');
    repository.write('tools/new agent.cjs', AGENT);
    repository.write('local/ignored.cjs', AGENT);
    const commands = {
      committed: ['node', 'tools/committed.cjs', 'no such file', '.', '..'],
      fresh: ['node', 'tools/new agent.cjs'],
      whole: ['node', `${repository.root}/tools/new agent.cjs`],
      ignored: ['node', 'local/ignored.cjs'],
    };
    const agents = Object.entries(commands).map(([name, command]) => [name, { driver: 'process', command }]);
    const configure = (more = {}) => stage.configure({ agents: Object.fromEntries(agents), ...more });
    configure();
    const notes = async (agent: string, ...flags: string[]) => {
      const call = ['run', 'work', '--agent', agent, '--workspace', repository.root, '--dry-run', ...flags];
      const { status, stdout, stderr } = await stage.data.run(call);
      assert.equal(status, 0, stderr);
      return stdout.split('\n').filter((line) => line.startsWith('note ') && line.includes('cjs'));
    };
    const lacking = (file: string) => [
      `note    the worktree will not have ${file}, which the agent runs: commit it, or baton config set worktree.include '["${file}"]'`,
    ];
    assert.deepEqual(await notes('fresh', '--worktree'), lacking('tools/new agent.cjs'));
    assert.deepEqual(await notes('whole', '--worktree'), lacking('tools/new agent.cjs'));
    assert.deepEqual(await notes('ignored', '--worktree'), lacking('local/ignored.cjs'));
    assert.deepEqual(await notes('fresh'), [], 'in place it is there');
    assert.deepEqual(await notes('committed', '--worktree'), []);
    repository.write('tools/committed.cjs', `${AGENT}// changed\n`);
    assert.deepEqual(await notes('committed', '--worktree'), [
      'note    the worktree will have tools/committed.cjs, which the agent runs, without your uncommitted changes: commit them to use them',
    ]);
    configure({ worktree: { include: ['tools/new agent.cjs', 'local'] } });
    assert.deepEqual(await notes('fresh', '--worktree'), []);
    assert.deepEqual(await notes('ignored', '--worktree'), []);
    const call = ['run', 'work', '--agent', 'fresh', '--workspace', repository.root, '--worktree', '--yes', '--json'];
    const run = await stage.data.run([...call, '--check', 'test -f made.txt']);
    assert.equal(run.status, 0, run.stdout + run.stderr);
  });
});
