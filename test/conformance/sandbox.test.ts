import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { isRunning, readProcess, readProcesses, startedWith } from '../../src/agents/process/process-table.ts';
import { BubblewrapSandbox } from '../../src/agents/sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { OpenSandbox } from '../../src/agents/sandbox/open/open-sandbox.ts';
import type { Grant, Sandbox } from '../../src/agents/sandbox/sandbox.ts';
import { spawnMany } from '../support/agent/spawn-many.ts';
import { NOTHING, noBubblewrap, PLAIN_ENV, runShell, scratchFolder, startProcess } from '../support/test-process.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'processes');
const HOLDER = join(import.meta.dirname, '..', 'support', 'agent', 'hold-process.ts');
const READ: Grant = { ...NOTHING, readPaths: [FIXTURES] };
const scratch = scratchFolder();
let runs = 0;

/** Tests that an implementation does not pass, each with the reason. */
const DIFFERENCES: Readonly<Record<Sandbox['name'], Readonly<Record<string, string>>>> = {
  bubblewrap: {
    'an exit code above 128 is the one that the process gave':
      'bubblewrap tells a signal as 128 and its number, so the code of a signal reads as that signal',
  },
  none: {
    'a process sees no process but its own': 'there is no namespace around it',
    'a process that hides its run and changes parents faster than is looked dies with the others':
      'Linux forgets whose child an orphan was',
  },
};

function fixture(name: string, ...args: string[]) {
  return { argv: ['/bin/sh', join(FIXTURES, name), ...args], grant: READ, env: marked() };
}

function marked(): Record<string, string> {
  runs += 1;
  return { ...PLAIN_ENV, BATON_RUN: `conformance-${process.pid}-${runs}` };
}

/** The processes of a run that are still alive. */
function left({ env }: { readonly env: Readonly<Record<string, string>> }): number[] {
  return readProcesses()
    .map(({ pid }) => pid)
    .filter((pid) => startedWith(pid, `BATON_RUN=${env.BATON_RUN}`));
}

for (const sandbox of [new BubblewrapSandbox('/usr/bin/bwrap'), new OpenSandbox()] as Sandbox[]) {
  const skip = sandbox.name === 'bubblewrap' ? noBubblewrap : false;
  const differences = DIFFERENCES[sandbox.name];
  const promise = (name: string, check: () => Promise<void>) => {
    test(name, { skip: skip || (differences[name] ?? false) }, check);
  };

  suite(`the sandbox ${sandbox.name}`, { concurrency: 1 }, () => {
    promise('what goes in is read, what comes out is told, and the exit code is the one of the process', async () => {
      const told = await startProcess(sandbox, {
        argv: ['/bin/sh', '-c', 'cat; echo wrong >&2; exit 3'],
        stdin: 'one\ntwo',
      });
      const end = await told.end();
      assert.deepEqual(
        told.lines.filter(({ stream }) => stream === 'stdout').map(({ text }) => text),
        ['one', 'two'],
      );
      assert.equal(told.text('stderr'), 'wrong');
      assert.ok(end.kind === 'exited' && end.exitCode === 3 && end.signal === null && end.durationMs < 5_000);
    });

    promise('the environment is what was given and nothing else', async () => {
      const { stdout } = await runShell(sandbox, '', { argv: ['/usr/bin/env'], env: { A: '1', 'B.c': 'x=y\nz' } });
      assert.deepEqual(stdout.split('\n').sort(), ['A=1', 'B.c=x=y', 'z']);
    });

    promise('what this process inherited is not handed on', async () => {
      const { stdout } = await runShell(sandbox, 'for f in /proc/self/fd/*; do readlink $f; done');
      const strange = stdout.split('\n').filter((target) => !/^(socket:|pipe:|\/dev\/null$|\/proc\/)/.test(target));
      assert.deepEqual(strange.filter(Boolean), []);
    });

    promise('the folder to work in is the one that was given', async () => {
      const grant = { ...NOTHING, readPaths: [scratch] };
      const { stdout } = await runShell(sandbox, 'pwd -P', { cwd: scratch, grant });
      assert.equal(stdout, scratch);
    });

    promise('a signal that ends a process is told', async () => {
      const { end } = await runShell(sandbox, 'kill -9 $$');
      assert.ok(end.kind === 'exited' && end.exitCode === null && end.signal === 'SIGKILL');
    });

    promise('an exit code above 128 is the one that the process gave', async () => {
      const { end } = await runShell(sandbox, 'exit 143');
      assert.ok(end.kind === 'exited' && end.exitCode === 143);
    });

    promise('the identity is the one of the process itself', async () => {
      const told = await startProcess(sandbox, { argv: ['/bin/sh', '-c', 'echo here; exec sleep 600'] });
      await told.until(/here/);
      const { identity } = told.live;
      assert.ok(identity && isRunning(identity));
      assert.ok(readFileSync(`/proc/${identity.pid}/cmdline`, 'latin1').match(/sleep|sh/));
      await told.live.stop();
      assert.equal(isRunning(identity), false);
    });

    const UNUSABLE: readonly (readonly [why: string, argv: string[], reason: RegExp, cwd?: string])[] = [
      ['is not there', ['no-such-program-here'], /ENOENT/],
      ['is not at its path', ['/nowhere/at/all'], /ENOENT/],
      ['is a folder', ['/usr'], /EACCES/],
      ['may not be run', ['/etc/passwd'], /EACCES/],
      ['holds a NUL', ['/bin/sh', '-c', 'a\0b'], /NUL/],
      ['is nothing', [], /command is empty/],
      ['is to run where no folder is', ['/bin/sh'], /working folder .* does not exist/, '/nowhere'],
      ['has more words than the system takes', ['/bin/sh', '-c', `: ${'x'.repeat(300_000)}`], /E2BIG/],
    ];
    for (const [why, argv, reason, cwd = '/'] of UNUSABLE) {
      promise(`a program that ${why} is not started, and that is an answer`, async () => {
        const told = await startProcess(sandbox, { argv, cwd });
        const end = await told.end();
        assert.ok(end.kind === 'not-started');
        assert.match(end.reason, reason);
        assert.equal(told.live.identity, null);
        await told.live.stop();
      });
    }

    promise('a process that never reads its input does not break anything', async () => {
      const { end } = await runShell(sandbox, 'exec 0<&-; exit 4', { stdin: 'x'.repeat(4_000_000) });
      assert.ok(end.kind === 'exited' && end.exitCode === 4);
    });

    promise('a process that is asked to end has time to put its things in order', async () => {
      const told = await startProcess(sandbox, fixture('ends-on-term.sh'));
      await told.until(/ready/);
      await told.live.stop();
      const end = await told.end();
      assert.ok(end.kind === 'exited' && end.exitCode === 7 && told.text().includes('bye'));
    });

    promise('a process that stands still ends when it is asked to', async () => {
      const told = await startProcess(sandbox, fixture('ends-on-term.sh'));
      await told.until(/ready/);
      process.kill(told.live.identity?.pid ?? 0, 'SIGSTOP');
      await told.live.stop();
      const end = await told.end();
      assert.ok(end.kind === 'exited' && end.exitCode === 7);
    });

    promise(
      'a process that does not end when it is asked to is ended after five seconds, with all it started',
      async () => {
        const wanted = fixture('ignores-term.sh');
        const told = await startProcess(sandbox, wanted);
        await told.until(/ready/);
        const startedMs = performance.now();
        await told.live.stop();
        const tookMs = performance.now() - startedMs;
        const end = await told.end();
        assert.ok(end.kind === 'exited' && end.signal === 'SIGKILL');
        assert.ok(tookMs >= 4_900, `${tookMs}`);
        assert.deepEqual(left(wanted), []);
      },
    );

    promise('a killed process is over at once', async () => {
      const wanted = fixture('ignores-term.sh');
      const told = await startProcess(sandbox, wanted);
      await told.until(/ready/);
      told.live.kill();
      const end = await told.end();
      assert.ok(end.kind === 'exited' && end.signal === 'SIGKILL');
      assert.deepEqual(left(wanted), []);
    });

    promise('an end is decided though a grandchild holds the output', async () => {
      const wanted = fixture('holds-output.sh');
      const told = await startProcess(sandbox, wanted);
      const end = await told.end();
      assert.ok(end.kind === 'exited' && end.exitCode === 0 && told.text() === 'done');
      assert.deepEqual(left(wanted), []);
    });

    promise('what a process leaves behind under another parent and session ends with it', async () => {
      const wanted = fixture('forks-twice.sh');
      const told = await startProcess(sandbox, wanted);
      await told.end();
      assert.match(told.text(), /left/);
      assert.deepEqual(left(wanted), []);
    });

    promise('a chain of programs that each start the next one and end is ended', async () => {
      const wanted = fixture('forks-on.sh', '40');
      const told = await startProcess(sandbox, wanted);
      await told.end();
      assert.deepEqual(left(wanted), []);
    });

    promise('a process that hides its run and changes parents faster than is looked dies with the others', async () => {
      const tag = `600.${process.pid}`;
      await runShell(sandbox, `( env -i setsid sleep ${tag} >/dev/null 2>&1 & ); exit 0`);
      const sleeping = readProcesses().filter(({ pid }) => commandOf(pid).includes(tag));
      assert.deepEqual(sleeping, []);
    });

    promise('what is sent to the terminal of this process does not reach it', async () => {
      const wanted = { argv: ['/bin/sh', '-c', 'echo up; exec sleep 600'], env: marked() };
      const told = await startProcess(sandbox, wanted);
      await told.until(/up/);
      const groupOf = (pid: number) => readProcess(pid)?.group;
      const groups = left(wanted).map(groupOf);
      told.live.kill();
      await told.end();
      assert.ok(groups.length > 0 && !groups.includes(groupOf(process.pid)), `${groups}`);
    });

    promise('a process dies with this one, and so does what it started, however this one ends', async () => {
      const wanted = { env: marked() };
      const holder = spawn(process.execPath, [HOLDER, sandbox.name, wanted.env.BATON_RUN ?? '']);
      await once(holder.stdout, 'data');
      assert.ok(left(wanted).length > 0);
      holder.kill('SIGKILL');
      while (left(wanted).length > 0) await setTimeout(20);
    });

    promise('a process of no run ends nobody but its own', async () => {
      const env = { ...PLAIN_ENV, BATON_RUN: '' };
      const told = await startProcess(sandbox, { argv: ['/bin/sh', '-c', 'echo up; read _; exit 0'], env });
      await told.until(/up/);
      const other = spawn('/bin/sleep', ['600'], { env });
      await once(other, 'spawn');
      told.live.kill();
      await told.end();
      assert.ok(other.kill(), 'it was ended with the first');
    });

    promise('the death of a process is noticed', async () => {
      const told = await startProcess(sandbox, { argv: ['/bin/sh', '-c', 'echo up; exec sleep 600'] });
      await told.until(/up/);
      process.kill(told.live.identity?.pid ?? 0, 'SIGKILL');
      const end = await told.end();
      assert.ok(end.kind === 'exited' && end.signal === 'SIGKILL');
    });

    promise('a process sees no process but its own', async () => {
      const { stdout } = await runShell(sandbox, 'ls /proc | grep -c "^[0-9]"');
      assert.ok(Number(stdout) < 8, stdout);
    });

    promise('a reader that fails ends the process, and its failure is told', async () => {
      const told = await startProcess(sandbox, {
        argv: ['/bin/sh', '-c', 'echo one; exec sleep 600'],
        onLine: () => {
          throw new Error('no room');
        },
      });
      await assert.rejects(told.end(), /no room/);
    });

    promise('many starts leave no zombie and no descriptor behind', async () => {
      const before = readdirSync('/proc/self/fd').length;
      for (let times = 0; times < 40; times += 1) await startProcess(sandbox, { argv: ['/nowhere'] });
      await spawnMany(sandbox, 120);
      assert.ok(readdirSync('/proc/self/fd').length <= before + 5);
    });
  });
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    // It has ended.
    return '';
  }
}

test('what an implementation does not do is the name of a test', () => {
  const names = new Set(readFileSync(import.meta.filename, 'utf8').match(/(?<=promise\(')[^']+/g));
  for (const name of Object.values(DIFFERENCES).flatMap(Object.keys)) assert.ok(names.has(name), name);
});
