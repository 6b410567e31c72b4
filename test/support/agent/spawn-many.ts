import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { childrenOf } from '../../../src/agents/process/process-table.ts';
import type { Sandbox } from '../../../src/agents/sandbox/sandbox.ts';
import { PLAIN_ENV, runShell } from '../test-process.ts';

const AT_ONCE = 8;
const DESCRIPTORS_MORE = 5;
const HEAP_MIB_MORE = 8;
/** Garbage that nobody has collected yet counts here. */
const RSS_MIB_MORE = 192;

/** Starts so many processes, some of them with a child that leaves them, and looks at what is left of them in this one. */
export async function spawnMany(sandbox: Sandbox, count: number): Promise<string> {
  const start = async (number: number) => {
    const command = number % 50 === 0 ? 'setsid sleep 600 & exit 3' : 'echo x; exit 3';
    const env = { ...PLAIN_ENV, BATON_RUN: `many-${process.pid}-${number}` };
    const { end } = await runShell(sandbox, command, { env });
    assert.ok(end.kind === 'exited' && end.exitCode === 3, JSON.stringify(end));
  };
  // The first ones load and open what stays.
  for (let number = 1; number < 2 * AT_ONCE; number++) await start(number);
  const before = look();
  for (let number = 0; number < count; number += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - number) }, (_, one) => start(number + one)));
  }
  const after = look();
  assert.ok(after.descriptors <= before.descriptors + DESCRIPTORS_MORE, `${before.descriptors}, ${after.descriptors}`);
  assert.deepEqual(childrenOf(process.pid), [], 'children, dead or alive');
  assert.ok(after.heapMib < before.heapMib + HEAP_MIB_MORE, `${before.heapMib} MiB held, then ${after.heapMib}`);
  assert.ok(after.rssMib < before.rssMib + RSS_MIB_MORE, `${before.rssMib} MiB, then ${after.rssMib}`);
  const more = (one: number, other: number) => Math.round(other - one);
  const heap = `${more(before.heapMib, after.heapMib)} MiB held`;
  return `more: ${after.descriptors - before.descriptors} descriptors, ${heap}, ${more(before.rssMib, after.rssMib)} MiB in all`;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function look() {
  collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  return { descriptors: readdirSync('/proc/self/fd').length, heapMib: heapUsed / 2 ** 20, rssMib: rss / 2 ** 20 };
}
