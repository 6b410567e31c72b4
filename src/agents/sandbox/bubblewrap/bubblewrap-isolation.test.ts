import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  NOTHING,
  noBubblewrap,
  PLAIN_ENV,
  runShell,
  scratchFolder,
  startProcess,
} from '../../../../test/support/test-process.ts';
import { MIB } from '../../../domain/limits.ts';
import { isRunning, type ProcessRow, readProcesses, startedWith } from '../../process/process-table.ts';
import { sweepProcesses } from '../../process/sweep-processes.ts';
import { findSandbox } from '../find-sandbox.ts';
import { BubblewrapSandbox } from './bubblewrap-sandbox.ts';
import { systemCallFilter } from './system-call-filter.ts';

const sandbox = new BubblewrapSandbox('/usr/bin/bwrap');
const scratch = scratchFolder();
const options = { skip: noBubblewrap };

test('a process has no capability, gains no privilege and is filtered', options, async () => {
  const { stdout } = await runShell(sandbox, 'cat /proc/self/status');
  for (const name of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) {
    assert.match(stdout, new RegExp(`^${name}:\\t0+$`, 'm'));
  }
  assert.match(stdout, /^NoNewPrivs:\t1$/m);
  if (systemCallFilter() !== null) assert.match(stdout, /^Seccomp:\t2$/m);
});

test('what looks into others, makes namespaces or asks the kernel for keys is refused', options, async () => {
  const calls =
    process.arch === 'arm64'
      ? { ptrace: 117, keyctl: 219, unshare: 97, bpf: 280 }
      : { ptrace: 101, keyctl: 250, unshare: 272, bpf: 321 };
  for (const [name, number] of Object.entries({ ...calls, io_uring_setup: 425 })) {
    const program = `print syscall(${number}, ${name === 'unshare' ? 0x10000000 : 0}, 0, 0, 0, 0, 0) . " " . ($! + 0)`;
    const { stdout, stderr } = await runShell(sandbox, '', { argv: ['/usr/bin/perl', '-e', program] });
    assert.equal(stdout, '-1 1', `${name}: ${stderr}`);
  }
});

test('a machine whose numbers are not known has no filter rather than a wrong one', () => {
  assert.equal(systemCallFilter('refused', 'riscv64'), null);
  for (const architecture of ['x64', 'arm64'])
    assert.equal((systemCallFilter('refused', architecture)?.length ?? 1) % 8, 0);
});

test('processes, names and queues of this machine are not to be seen', options, async () => {
  const { stdout } = await runShell(
    sandbox,
    'cat /proc/*/environ /proc/*/cmdline | tr "\\0" "\\n"; hostname; cat /proc/1/comm',
    {
      env: { ...PLAIN_ENV, OWN: 'own' },
    },
  );
  assert.doesNotMatch(stdout, /npm_|NODE_TEST|--test/);
  assert.match(stdout, /^sandbox$/m);
  assert.match(stdout, /bwrap$/);
});

test('what bubblewrap is told does not stand on its command line', options, async () => {
  const env = { ...PLAIN_ENV, API_KEY: 'very-secret-value' };
  const told = await startProcess(sandbox, { argv: ['/bin/sh', '-c', 'echo up; exec sleep 600'], env });
  await told.until(/up/);
  const lines = readProcesses()
    .map(({ pid }) => commandLine(pid))
    .join('\n');
  await told.live.stop();
  assert.doesNotMatch(lines, /very-secret-value/);
});

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    // It has ended.
    return '';
  }
}

test('a library that the environment names is not loaded outside of the sandbox', options, async () => {
  const trap = join(scratch, 'trap.so');
  writeFileSync(trap, 'not a library');
  const { stderr } = await runShell(sandbox, 'exit 0', { env: { ...PLAIN_ENV, LD_PRELOAD: trap } });
  // The loader complains once for each program that is told of it: those inside, and not bubblewrap.
  assert.doesNotMatch(stderr, /bwrap/);
});

test('a process can start only so many others, and no core is dumped', options, async () => {
  const { stdout } = await runShell(sandbox, 'ulimit -p; ulimit -c');
  const [processes, core] = stdout.split('\n').map(Number);
  assert.ok(processes && processes <= 4_096 && core === 0, stdout);
});

/** The output of a program that reaches a limit, and of one that stays below it. */
const BOUNDS: Readonly<Record<string, readonly [program: string, hits: RegExp, stays: string]>> = {
  memory: [
    'try { const kept = []; for (;;) kept.push(Buffer.alloc(2 ** 25, 1)); } catch (error) { console.log(error.code) }',
    /ERR_MEMORY_ALLOCATION_FAILED|Array buffer allocation failed|^$/,
    'const kept = []; for (let n = 0; n < 4; n++) kept.push(Buffer.alloc(2 ** 25, 1)); console.log("fine")',
  ],
  'open files': [
    'try { for (;;) fs.openSync("/dev/null") } catch (error) { console.log(error.code) }',
    /EMFILE/,
    'for (let n = 0; n < 500; n++) fs.openSync("/dev/null"); console.log("fine")',
  ],
  'the size of a file': [
    'try { fs.ftruncateSync(fs.openSync("/tmp/f", "w"), 2 ** 37) } catch (error) { console.log(error.code) }',
    /EFBIG|^$/,
    'fs.ftruncateSync(fs.openSync("/tmp/f", "w"), 2 ** 20); console.log("fine")',
  ],
};

for (const [bound, [hits, end, stays]] of Object.entries(BOUNDS)) {
  test(`${bound} is bounded, and who stays below is not hindered`, options, async () => {
    const wanted = (program: string) => ({
      argv: [process.execPath, '-e', program],
      grant: { ...NOTHING, memoryBytesMax: 1_024 * MIB },
    });
    const over = await runShell(sandbox, '', wanted(hits));
    assert.match(over.stdout.trim(), end, over.stderr);
    assert.equal((await runShell(sandbox, '', wanted(stays))).stdout.trim(), 'fine');
  });
}

test('its own temporary folder is its own, and bounded', options, async () => {
  const mark = `mark-${process.pid}`;
  await runShell(sandbox, `echo x > /tmp/${mark}; echo x > /dev/shm/${mark}; echo x > /var/tmp/${mark}`);
  const { stdout } = await runShell(
    sandbox,
    `ls /tmp /dev/shm /var/tmp | grep ${mark}; df -k --output=size /tmp | tail -1`,
  );
  assert.ok(Number(stdout) > 0 && Number(stdout) <= 1_048_576, stdout);
});

test('killing bubblewrap kills all that is inside', options, async () => {
  const mark = `BATON_RUN=isolation-${process.pid}`;
  const env = { ...PLAIN_ENV, BATON_RUN: `isolation-${process.pid}` };
  const argv = ['/bin/sh', '-c', 'setsid sleep 600 & echo up; exec sleep 600'];
  const told = await startProcess(sandbox, { argv, env });
  await told.until(/up/);
  const all = () => readProcesses().filter(({ pid }) => startedWith(pid, mark));
  const outermost = all().find(({ parent }) => parent === process.pid);
  const count = all().length;
  process.kill(outermost?.pid ?? 0, 'SIGKILL');
  await told.end();
  assert.equal(count, 4);
  assert.deepEqual(all(), []);
});

const NODE = `
  const { BubblewrapSandbox } = await import(${JSON.stringify(join(import.meta.dirname, 'bubblewrap-sandbox.ts'))});
  const sandbox = new BubblewrapSandbox('/usr/bin/bwrap');
  const grant = { readPaths: [], writePaths: [], mounts: [], hiddenPaths: [], network: { level: 'NONE', hosts: [], loopbackPorts: [] } };
  const argv = ['/bin/sh', '-c', 'setsid sleep 600 & (setsid sleep 600 &) ; echo up; sleep 600'];
  const env = { PATH: '/usr/bin:/bin', BATON_RUN: process.argv[1] };
  console.log('starting');
  await Promise.all(Array.from({ length: 4 }, () =>
    sandbox.start({ argv, cwd: '/', env, stdin: '', grant, secrets: [], onLine: ({ text }) => console.log(text) })));
`;

test('no program is left when the one who started it is killed, at whatever moment, and a sweep leaves nothing', {
  ...options,
  timeout: 60_000,
}, async () => {
  for (const delayMs of [0, 3, 6, 9, 12, 20, 30, 60, 400]) {
    const run = `killed-${process.pid}-${delayMs}`;
    const node = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', NODE, run]);
    await once(node.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    node.kill('SIGKILL');
    await once(node, 'exit');
    const left = () => readProcesses().filter(({ pid }) => startedWith(pid, `BATON_RUN=${run}`));
    // Bubblewrap itself may hang where it was in the middle of a sandbox; no program runs in it, and the sweep ends it.
    await eventuallyNone(() => left().filter(({ pid }) => !/^\/usr\/bin\/bwrap/.test(commandLine(pid))));
    await sweepProcesses([{ runId: run, identity: null }]);
    await eventuallyNone(left);
  }
});

async function eventuallyNone(find: () => ProcessRow[]): Promise<void> {
  const deadline = performance.now() + 5_000;
  let found = find();
  while (found.length > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    found = find();
  }
  assert.deepEqual(
    found.map(({ pid }) => commandLine(pid)),
    [],
  );
}

test('the identity is gone when the end is told', options, async () => {
  const told = await startProcess(sandbox, { argv: ['/bin/sh', '-c', 'exit 0'] });
  await told.end();
  assert.ok(told.live.identity === null || !isRunning(told.live.identity));
});

test('a sandbox that does not work is missing, with what is wrong', options, async () => {
  assert.equal(((await findSandbox(['/nowhere/bwrap'])) as { reason: string }).reason.includes('not installed'), true);
  const broken = join(mkdtempSync(join(scratch, 'bin-')), 'bwrap');
  writeFileSync(broken, '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n');
  chmodSync(broken, 0o755);
  const found = await findSandbox([broken]);
  assert.ok('kind' in found && found.kind === 'missing');
  assert.match(found.reason, /No permissions to create new namespace/);
  const end = await (await startProcess(new BubblewrapSandbox(broken), { argv: ['/bin/sh'] })).end();
  assert.ok(end.kind === 'not-started');
  const gone = await (
    await startProcess(new BubblewrapSandbox('/nowhere/bwrap'), { argv: ['/bin/sh'], grant: NOTHING })
  ).end();
  assert.ok(gone.kind === 'not-started' && /ENOENT/.test(gone.reason));
});

test('a sandbox that works is found', options, async () => {
  const found = await findSandbox();
  assert.ok('start' in found && found.name === 'bubblewrap');
});
