import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { NOTHING, noBubblewrap, PLAIN_ENV } from '../../../test/support/test-process.ts';
import { MIB } from '../../domain/limits.ts';
import { COMMAND_TAIL_CHARACTERS } from '../../domain/process-limits.ts';
import { BubblewrapSandbox } from '../sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { OpenSandbox } from '../sandbox/open/open-sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type CommandResult, executeCommand } from './execute-command.ts';

const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/processes');
const LONG_LINE_MIB = 1_024;

type Ran = Extract<CommandResult, { kind: 'ran' }>;

async function run(sandbox: Sandbox, argv: readonly string[], timeoutMs = 60_000): Promise<Ran> {
  const grant = { ...NOTHING, readPaths: [FIXTURES] };
  const result = await executeCommand(sandbox, {
    argv,
    cwd: '/',
    env: PLAIN_ENV,
    grant,
    timeoutMs,
    secrets: ['s3cret-value'],
  });
  assert.ok(result.kind === 'ran', JSON.stringify(result));
  return result;
}

/** How much more memory this process had at most, looked at often. */
async function growthDuring(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  await work();
  clearInterval(watch);
  return peak - before;
}

for (const sandbox of [new BubblewrapSandbox('/usr/bin/bwrap'), new OpenSandbox()]) {
  const skip = sandbox.name === 'bubblewrap' ? noBubblewrap : false;
  suite(`commands in the sandbox ${sandbox.name}`, { skip, concurrency: 1 }, () => {
    test('a command has its exit code, the ends of what it said, and no secret in them', async () => {
      const said = await run(sandbox, ['/bin/sh', '-c', 'echo out s3cret-value; echo err >&2; exit 3']);
      const { durationMs, ...rest } = said;
      assert.deepEqual(rest, {
        kind: 'ran',
        exitCode: 3,
        signal: null,
        isTimedOut: false,
        stdoutTail: 'out [REDACTED:secret]\n',
        stderrTail: 'err\n',
        outputBytes: 26,
        hasOutput: true,
      });
      assert.ok(durationMs < 5_000);
    });

    test('white space is no output, and what is said on stderr is none', async () => {
      assert.equal((await run(sandbox, ['/bin/sh', '-c', 'echo; echo " "; echo x >&2'])).hasOutput, false);
    });

    test('of much output the end is kept', async () => {
      const { stdoutTail, outputBytes } = await run(sandbox, ['/bin/sh', '-c', 'seq 200000']);
      assert.ok(stdoutTail.length <= COMMAND_TAIL_CHARACTERS && stdoutTail.endsWith('\n200000\n'));
      assert.equal(outputBytes, 1_288_895);
    });

    test('a command that takes too long is ended, and that is told', async () => {
      const { isTimedOut, signal, durationMs } = await run(sandbox, ['/bin/sh', '-c', 'exec sleep 600'], 200);
      assert.ok(isTimedOut && signal === 'SIGTERM' && durationMs < 3_000);
    });

    test('a command that cannot be run could not run', async () => {
      const result = await executeCommand(sandbox, {
        argv: ['nowhere'],
        cwd: '/',
        env: PLAIN_ENV,
        grant: NOTHING,
        timeoutMs: 1_000,
      });
      assert.ok(result.kind === 'could-not-run' && /ENOENT/.test(result.reason));
    });

    test('one endless line costs little memory', async () => {
      const line = join(FIXTURES, 'writes-one-long-line.mjs');
      let result: Ran | undefined;
      const growth = await growthDuring(async () => {
        result = await run(sandbox, [process.execPath, line, String(LONG_LINE_MIB)]);
      });
      assert.match(result?.stdoutTail ?? '', new RegExp(`\\[truncated: ${LONG_LINE_MIB * MIB} bytes\\]\nafter\n$`));
      assert.ok(growth < 64 * MIB, `${growth / MIB} MiB`);
    });

    test('output as fast as it can be written costs little memory, and the writer waits', async () => {
      const growth = await growthDuring(() =>
        run(sandbox, ['/bin/sh', '-c', 'yes "0123456789 0123456789" | head -c 100000000']),
      );
      assert.ok(growth < 64 * MIB, `${growth / MIB} MiB`);
    });
  });
}
