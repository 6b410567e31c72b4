import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataFolder } from '../data-folder.ts';
import type { BatonRun } from '../run-baton.ts';
import { TestRepository } from '../test-repository.ts';

type Tear = (bytes: Buffer) => Buffer;

export const TEARS: Readonly<Record<string, Tear>> = {
  'cut to nothing': () => Buffer.alloc(0),
  'cut in half': (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)),
  overwritten: () => Buffer.from('\0 not what Baton wrote\n'),
};

/** No command hangs, and none fails without a sentence and a hint. */
function assertToldOrDone(run: BatonRun, what: string): void {
  assert.ok(run.status !== null && run.status <= 3, `${what}: ${run.status} ${run.stderr}`);
  assert.doesNotMatch(run.stderr, /^\s+at /m, what);
  if (run.status === 2) assert.match(run.stderr, /error: .*\ntry: /, what);
}

async function lived(folder: string) {
  const data = new DataFolder(folder);
  const repository = new TestRepository();
  let orders = 0;
  const order = async () => {
    const flags = ['--agent', 'demo', '--yes', '--workspace', repository.root, '--check', 'true', '--json'];
    return await data.run(['run', `@demo write file-${++orders}.txt hello`, ...flags]);
  };
  await data.json('init');
  const first = await order();
  assert.ok((first.status ?? 9) <= 3, first.stderr);
  return { data, order };
}

/** Files of the data folder beside the ledger, the tree of tasks and the shadows, which have tests of their own. */
function filesOf(data: DataFolder): string[] {
  const own = readdirSync(data.path, { withFileTypes: true }).filter((entry) => entry.isFile());
  const names = own.map(({ name }) => name).filter((name) => !/^ledger\.sqlite(-wal|-shm)?$/.test(name));
  const [task = ''] = readdirSync(join(data.path, 'runs'));
  const ofRun = readdirSync(join(data.path, 'runs', task), { withFileTypes: true }).filter((entry) => entry.isFile());
  const days = readdirSync(join(data.path, 'events')).map((day) => join('events', day));
  return [...names, 'node.json', ...ofRun.map(({ name: file }) => join('runs', task, file)), ...days];
}

/** Tears each file beside the ledger in turn; commands work or say what to do, and an order works afterwards. */
export async function tearEachFile(folder: string, tearOf: (at: number) => Tear): Promise<void> {
  const { data, order } = await lived(folder);
  const files = filesOf(data);
  assert.ok(
    ['node.key', 'config.yaml', 'id', 'lock.sqlite'].every((name) => files.includes(name)),
    files.join(),
  );
  for (const [at, name] of files.entries()) {
    const file = join(data.path, name);
    const whole = existsSync(file) ? readFileSync(file) : Buffer.from('{"url":"http://127.0.0.1:1","token":"t"}\n');
    writeFileSync(file, tearOf(at)(whole), { mode: 0o600 });
    for (const words of [['status'], ['doctor']]) assertToldOrDone(await data.run(words), `${name}: ${words}`);
    if (name === 'node.key') {
      const after = await order();
      assert.equal(after.status, 0, `${name}: ${after.stdout}${after.stderr}`);
      continue;
    }
    writeFileSync(file, whole, { mode: 0o600 });
  }
  const after = await order();
  assert.equal(after.status, 0, after.stdout + after.stderr);
}
