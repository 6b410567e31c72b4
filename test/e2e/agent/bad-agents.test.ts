import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { type BatonRun, runBaton } from '../../support/run-baton.ts';
import { orderRun, until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

const EVENT = {
  thread: '{"type":"thread.started","thread_id":"t1"}',
  words: '{"type":"item.completed","item":{"id":"i1","type":"agent_message","text":"Done."}}',
  done: '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}',
  refused: '{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: no key"}}',
};
const print = (...lines: string[]) => lines.map((line) => `echo '${line}'`).join('\n');

/** A user whose `codex` is a shell script. */
class BadAgent {
  readonly home: string;
  readonly repository = new TestRepository();
  readonly program: string;

  constructor(t: TestContext, body: string, answer = 'echo "codex-cli 0.166.0"; exit') {
    this.home = mkdtempSync(join(tmpdir(), 'baton-bad-agent-'));
    t.after(() => rmSync(this.home, { recursive: true, force: true, maxRetries: 10 }));
    this.program = join(this.home, 'bin', 'codex');
    mkdirSync(join(this.home, 'bin'));
    const version = `if [ "$1" = --version ]; then ${answer}; fi`;
    writeFileSync(this.program, `#!/bin/sh\n${version}\ncat > /dev/null\n${body}\n`, { mode: 0o755 });
  }

  baton(...args: string[]): Promise<BatonRun> {
    const PATH = `${join(this.home, 'bin')}:${process.env['PATH']}`;
    const environment = { HOME: this.home, PATH, OPENAI_API_KEY: 'a-key', BATON_RUN: '', BATON_DATA: '' };
    return runBaton(args, { folder: this.repository.root, environment });
  }

  async run(...flags: string[]) {
    const words = ['run', 'Do it.', '--agent', 'codex', '--check', 'test -f out.txt', '--retries', '0'];
    return orderRun(await this.baton(...words, '--yes', '--json', ...flags));
  }
}

describe('an agent that is wrong is told in a sentence, with its code, and no run hangs', {
  concurrency: 2,
  skip: noBubblewrap,
}, () => {
  test('one that cannot say its version is not started, even if nobody asked for it before', async (t) => {
    const agent = new BadAgent(t, 'touch started', 'exit 3');
    const run = await agent.baton('run', 'Do it.', '--agent', 'codex', '--yes', '--json');
    assert.equal(run.status, 2, run.stdout + run.stderr);
    assert.match(run.stderr, /codex --version failed \(exit 3\).*npm i -g @openai\/codex/s);
    assert.equal('started' in agent.repository.files(), false);
  });

  test('one that prints garbage and exits 0 has given no answer, and its garbage is kept', async (t) => {
    const agent = new BadAgent(t, 'printf \'\\000\\377{"type"\\n{{{{\\n[1,2\\n\\n\'');
    const { exit, code, response } = await agent.run();
    assert.deepEqual([exit, code], [1, 'E_MALFORMED_RESPONSE']);
    const why = 'its output is not in the expected format; its last line: [1,2';
    assert.equal(response.task_status.message, why);
    assert.match((await agent.baton('logs', '1', '--raw')).stdout, /\{\{\{\{/);
  });

  test('one that reports its error on stdout and exits 0 has failed with the code of that error', async (t) => {
    const { exit, code, response } = await new BadAgent(t, print(EVENT.thread, EVENT.refused)).run();
    assert.deepEqual([exit, code], [1, 'E_PERMISSION_DENIED']);
    assert.match(response.error_details?.message ?? '', /401 Unauthorized: no key; run codex login/);
  });

  test('one that asks a question in words, which nobody answers, is ended at its timeout', async (t) => {
    const agent = new BadAgent(t, "printf 'Update now? [y/N] '\nwhile :; do sleep 1; done");
    const { exit, code } = await agent.run('--timeout', '3');
    assert.deepEqual([exit, code], [1, 'E_TIMEOUT']);
    assert.match((await agent.baton('logs', '1', '--raw')).stdout, /Update now\?/);
  });

  test('one that leaves a daemon ends with its work, and the daemon with it', async (t) => {
    const daemon = 'setsid sh -c "while :; do echo x >> daemon.log; sleep 0.1; done" > /dev/null 2>&1 < /dev/null &';
    const wait = 'while [ ! -s daemon.log ]; do sleep 0.05; done';
    const agent = new BadAgent(
      t,
      [daemon, wait, 'echo hi > out.txt', print(EVENT.thread, EVENT.words, EVENT.done)].join('\n'),
    );
    const { exit } = await agent.run();
    assert.equal(exit, 0);
    const size = () => readFileSync(join(agent.repository.root, 'daemon.log')).length;
    let before = -1;
    // It does not grow from one look to the next.
    await until(async () => {
      const now = size();
      await new Promise((resolve) => setTimeout(resolve, 400));
      const isStill = now === before && size() === now;
      before = now;
      return isStill;
    });
  });

  test('one that updates itself cannot: its program stays as it is', async (t) => {
    const agent = new BadAgent(
      t,
      `echo evil > "$0" && echo updated > out.txt\n${print(EVENT.thread, EVENT.words, EVENT.done)}`,
    );
    const before = readFileSync(agent.program, 'utf8');
    const { exit } = await agent.run();
    assert.equal(exit, 1);
    assert.equal(readFileSync(agent.program, 'utf8'), before);
  });

  test('one whose folder of sessions is no folder is refused with the path and what to do', async (t) => {
    const agent = new BadAgent(
      t,
      'echo x > "$HOME/.codex/sessions/s1" || { echo "cannot write the session"; exit 1; }',
    );
    mkdirSync(join(agent.home, '.codex'));
    writeFileSync(join(agent.home, '.codex', 'sessions'), 'a file');
    const { exit, response } = await agent.run();
    assert.equal(exit, 1);
    const why = /\.codex\/sessions is no folder, and the agent keeps its sessions there; move it away/;
    assert.match(response.error_details?.message ?? '', why);
  });
});
