import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DataFolder } from '../../support/data-folder.ts';
import { BATON, linesOf } from '../../support/run-baton.ts';
import { orderRun, RunStage } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.alone('backup-restores');

/** Everything that a person may ask about a task, without the paths of the data folder. */
async function shown(data: DataFolder, task: string, verbs: readonly (readonly string[])[]): Promise<string[]> {
  const texts: string[] = [];
  for (const verb of verbs) {
    const { status, stdout } = await data.run([...verb, ...(verb[0] === 'status' ? [] : [task])]);
    // An age is another one a moment later.
    const shown = stdout.replaceAll(data.path, 'DATA').replaceAll(/\d+ s ago/g, 'N s ago');
    texts.push(`${verb.join(' ')} ${status}\n${shown}`);
  }
  return texts;
}

const LOOKS = [['status'], ['task', 'show'], ['logs'], ['receipt', 'verify']];
const WITH_WORK = [...LOOKS, ['diff']];

async function done(...flags: string[]): Promise<string> {
  const { root } = stage.repository();
  const args = ['run', '@demo say hello\n@demo write a.txt one', '--agent', 'demo', '--workspace', root, '--json'];
  const { exit, own } = orderRun(await stage.data.run([...args, '--check', 'grep one a.txt', ...flags]));
  assert.equal(exit, 0);
  return own.task;
}

describe('a backup', { skip: noBubblewrap }, () => {
  test('restored into another folder shows the same, with its work', async () => {
    const task = await done();
    const outputs = join(stage.data.path, 'tasks', 'done', task, 'outputs');
    mkdirSync(outputs, { recursive: true });
    writeFileSync(join(outputs, 'note.md'), 'by hand\n');
    const before = await shown(stage.data, task, WITH_WORK);
    const file = join(stage.folder, 'whole.bak');
    const backup = await stage.data.run(['backup', file, '--with-work']);
    assert.equal(backup.status, 0, backup.stderr);
    assert.match(backup.stdout, /^saved \d+ tasks?, \d+ events? and \d+ files to .*, verified$/m);
    assert.match(backup.stderr, /^left out: worktrees; node\.key/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const other = new DataFolder(join(stage.folder, 'whole'));
    const restored = await other.run(['restore', file]);
    assert.equal(restored.status, 0, restored.stderr);
    assert.deepEqual(await shown(other, task, WITH_WORK), before);
    assert.equal(readFileSync(join(other.path, 'tasks', 'done', task, 'outputs', 'note.md'), 'utf8'), 'by hand\n');
    assert.ok(existsSync(join(other.path, 'config.yaml')) && !existsSync(join(other.path, 'node.key')));
  });

  test('without its work says so, and everything else is the same', async () => {
    const task = await done();
    const before = await shown(stage.data, task, LOOKS);
    const file = join(stage.folder, 'light.bak');
    const backup = await stage.data.run(['backup', file]);
    assert.match(
      backup.stderr,
      /^left out: the saved files behind diff and undo \(baton backup --with-work adds them\); /,
    );
    const other = new DataFolder(join(stage.folder, 'light'));
    await other.run(['restore', file]);
    assert.deepEqual(await shown(other, task, LOOKS), before);
    assert.equal((await other.run(['diff', task])).status, 2);
  });

  test('of a node that works meanwhile has a receipt for every task that it shows as done', async () => {
    const { root } = stage.repository();
    const node = spawn(BATON, ['up', '--data', stage.data.path], { stdio: ['ignore', 'ignore', 'pipe'] });
    try {
      await once(node.stderr, 'data');
      const words = ['run', '@demo write b.txt b', '--agent', 'demo', '--workspace', root, '--check', 'test -f b.txt'];
      const runs = [0, 1, 2].map(() => stage.data.run([...words, '--worktree', '--json']));
      const files = await Promise.all(
        [0, 1, 2, 3].map(async (at) => {
          const file = join(stage.folder, `live-${at}.bak`);
          assert.equal((await stage.data.run(['backup', file])).status, 0);
          return file;
        }),
      );
      await Promise.all(runs);
      for (const [at, file] of files.entries()) {
        const other = new DataFolder(join(stage.folder, `live-${at}`));
        assert.equal((await other.run(['restore', file])).status, 0);
        const tasks = linesOf<{ id: string; status: string }>(await other.run(['task', 'list', 'done', '--json']));
        for (const { id } of tasks) assert.ok(existsSync(join(other.path, 'runs', id, 'receipt.json')), id);
      }
    } finally {
      node.kill('SIGTERM');
      await once(node, 'exit');
    }
  });

  test('of an older Baton, which has a ledger alone, is restored', async () => {
    const task = await done();
    const file = join(stage.folder, 'old.bak');
    await stage.data.run(['backup', file]);
    const bytes = readFileSync(file);
    const ledger = bytes.subarray(0, Number(bytes.readBigUInt64BE(bytes.length - 48)));
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(ledger.length));
    const hash = createHash('sha256').update(ledger).digest();
    writeFileSync(file, Buffer.concat([ledger, Buffer.from('BATONBK1'), length, hash]));
    const other = new DataFolder(join(stage.folder, 'old'));
    const restored = await other.run(['restore', file, '--json']);
    assert.equal(linesOf<{ files: number }>(restored)[0]?.files, 0, restored.stdout);
    assert.equal((await other.run(['task', 'show', task])).status, 0);
  });

  test('that was changed, in its files too, is refused, and nothing is left behind', async () => {
    await done();
    const file = join(stage.folder, 'changed.bak');
    await stage.data.run(['backup', file]);
    const bytes = readFileSync(file);
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const other = new DataFolder(join(stage.folder, 'changed'));
    const run = await other.run(['restore', file, '--json']);
    assert.equal(linesOf<{ code: string }>(run)[0]?.code, 'damaged_backup');
    assert.ok(!existsSync(join(other.path, 'runs')) && !existsSync(join(other.path, 'ledger.sqlite')));
  });

  test('is not needed for receipts and logs when the ledger is rebuilt from the tree', async () => {
    await done('--worktree');
    const task = await done();
    const before = await shown(stage.data, task, [['receipt', 'verify']]);
    const receipt = readFileSync(join(stage.data.path, 'runs', task, 'receipt.json'));
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(stage.data.path, `ledger.sqlite${suffix}`), { force: true });
    const rebuilt = await stage.data.run(['rebuild', '--from', 'tree']);
    assert.equal(rebuilt.status, 0, rebuilt.stderr);
    assert.deepEqual(readFileSync(join(stage.data.path, 'runs', task, 'receipt.json')), receipt);
    assert.ok(existsSync(join(stage.data.path, 'runs', task, 'output.log')));
    const file = await stage.data.run(['receipt', 'verify', join(stage.data.path, 'runs', task, 'receipt.json')]);
    assert.ok(before[0]?.endsWith(file.stdout.replaceAll(stage.data.path, 'DATA')));
    assert.deepEqual(await shown(stage.data, task, [['receipt', 'verify']]), before);
    // The rest is told: nothing says that the task was never carried out, and saved files stay.
    assert.match(rebuilt.stdout, /^ {2}the record of the work of \d+ tasks?: diff, apply, undo, verify, /m);
    const worktrees = readdirSync(join(stage.data.path, 'worktrees'));
    assert.ok(
      worktrees.length > 0 && worktrees.every((name) => rebuilt.stdout.includes(`worktrees/${name}: the folder stays`)),
    );
    const refused = await stage.data.run(['undo', task]);
    assert.match(
      refused.stderr,
      /the record of the work of TASK-\S+ was lost with the ledger, which was rebuilt on \d{4}-/,
    );
    const savedFiles = () => readdirSync(join(stage.data.path, 'saved'), { recursive: true }).sort();
    const saved = savedFiles();
    assert.equal((await stage.data.run(['clean'])).status, 0);
    assert.deepEqual(savedFiles(), saved);
  });
});
