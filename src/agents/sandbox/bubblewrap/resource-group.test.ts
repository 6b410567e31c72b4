import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { NOTHING, noBubblewrap, startProcess } from '../../../../test/support/test-process.ts';
import { MIB } from '../../../domain/limits.ts';
import { BubblewrapSandbox } from './bubblewrap-sandbox.ts';
import { boundResources } from './resource-group.ts';

/** It asks for a line, then starts sleepers until it cannot, and says how many there are. */
const STARTS_MANY = `read -r _; n=0; while [ $n -lt 50 ]; do sleep 60 & n=$((n+1)); done`;

function groupOf(pid: number): string {
  const group = /^\d+:pids:(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'latin1'))?.[1] ?? '';
  return join('/sys/fs/cgroup/pids', group);
}

const isCounted = process.getuid?.() === 0 && existsSync('/sys/fs/cgroup/pids');
const skip = isCounted ? false : 'only root is bounded by a group, where there are groups of this kind';

test('a process cannot start more than it may, also as root, and its group goes with it', { skip }, async () => {
  const child = spawn('/bin/sh', ['-c', STARTS_MANY], { stdio: ['pipe', 'ignore', 'pipe'], detached: true });
  after(() => void (child.exitCode === null && process.kill(-(child.pid ?? 0), 'SIGKILL')));
  await once(child, 'spawn');
  const bound = await boundResources(child.pid ?? 0, { processesMax: 10, memoryBytesMax: 512 * MIB });
  assert.ok(bound);
  const group = groupOf(child.pid ?? 0);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stdin.write('go\n');
  await once(child, 'exit');
  assert.match(said, /fork/);
  assert.equal(readFileSync(join(group, 'pids.current'), 'utf8').trim(), '9');
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await once(child, 'close');
  while (readFileSync(join(group, 'cgroup.procs'), 'utf8') !== '')
    await new Promise((resolve) => setImmediate(resolve));
  bound.remove();
  assert.ok(!existsSync(group));
});

test('every process of a sandbox counts, and nothing of it is left', { skip: noBubblewrap || skip }, async () => {
  const sandbox = new BubblewrapSandbox('/usr/bin/bwrap');
  const told = await startProcess(sandbox, { argv: ['/bin/sh', '-c', 'echo up; exec sleep 600'] });
  await told.until(/up/);
  const group = groupOf(told.live.identity?.pid ?? 0);
  assert.equal(readFileSync(join(group, 'pids.max'), 'utf8'), '4096\n');
  told.live.kill();
  await told.end();
  assert.ok(!existsSync(group));
});

/** Each takes 512 MiB that no limit of a process counts. */
const SHARED: Readonly<Record<string, string>> = {
  'a shared mapping': 'import mmap; m = mmap.mmap(-1, 512 << 20); [m.write(b"x" * (1 << 20)) for _ in range(512)]',
  'a file in memory': 'import os; f = os.memfd_create("x"); [os.write(f, b"x" * (1 << 20)) for _ in range(512)]',
  'many shared mappings':
    'import mmap; k = [mmap.mmap(-1, 16 << 20) for _ in range(32)]; [m.write(b"x" * (16 << 20)) for m in k]',
};

const python = ['/usr/bin/python3', '/usr/local/bin/python3'].find((path) => existsSync(path));
const noPython = python === undefined && 'there is no python3';
const isMemoryBounded = isCounted && existsSync('/sys/fs/cgroup/memory/memory.limit_in_bytes');

for (const [name, program] of Object.entries(SHARED)) {
  test(`the memory of a run includes ${name}`, {
    skip: noBubblewrap || noPython || (!isMemoryBounded && 'there are no cgroups for memory'),
  }, async () => {
    const sandbox = new BubblewrapSandbox('/usr/bin/bwrap');
    const argv = [python ?? '', '-c', `${program}; print("taken")`];
    const run = async (mib: number) => {
      const told = await startProcess(sandbox, { argv, grant: { ...NOTHING, memoryBytesMax: mib * MIB } });
      return { end: await told.end(), text: told.text() };
    };
    const { end, text } = await run(256);
    assert.deepEqual([end.kind === 'exited' && end.signal, text], ['SIGKILL', '']);
    assert.equal((await run(1_024)).text, 'taken');
  });
}

test('a private folder holds no more than the memory of a run', { skip: noBubblewrap }, async () => {
  const sandbox = new BubblewrapSandbox('/usr/bin/bwrap');
  const argv = ['/bin/df', '-k', '--output=size', '/tmp', '/var/tmp', '/dev/shm'];
  const told = await startProcess(sandbox, { argv, grant: { ...NOTHING, memoryBytesMax: 256 * MIB } });
  await told.end();
  assert.deepEqual(told.text().split('\n').slice(1).map(Number), [262_144, 262_144, 262_144]);
});
