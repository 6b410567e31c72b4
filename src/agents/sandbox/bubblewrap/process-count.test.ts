import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { noBubblewrap, startProcess } from '../../../../test/support/test-process.ts';
import { BubblewrapSandbox } from './bubblewrap-sandbox.ts';
import { boundProcessCount } from './process-count.ts';

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
  const count = await boundProcessCount(child.pid ?? 0, 10);
  assert.ok(count);
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
  count.remove();
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
