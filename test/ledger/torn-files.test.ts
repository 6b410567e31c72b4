import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DataFolder, scratchFolder } from '../support/data-folder.ts';
import type { BatonRun } from '../support/run-baton.ts';
import { noBubblewrap } from '../support/test-process.ts';
import { TestRepository } from '../support/test-repository.ts';

const scratch = scratchFolder('torn-beside');

const TEARS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
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

async function lived(name: string) {
  const data = new DataFolder(join(scratch, name));
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

test('doctor names a lock file of another program, and leaves it as it is', async () => {
  const data = new DataFolder(join(scratch, 'foreign-lock'));
  await data.run(['init']);
  const file = join(data.path, 'lock.sqlite');
  const text = 'a file of somebody else\n'.repeat(100);
  writeFileSync(file, text);
  const doctor = await data.run(['doctor']);
  assert.equal(doctor.status, 1);
  assert.match(doctor.stdout, /^wrong +lock\.sqlite: .*lock\.sqlite has content that is not Baton's/m);
  assert.equal(readFileSync(file, 'utf8'), text);
  assert.equal((await data.run(['status'])).status, 0);
});

for (const [how, tear] of Object.entries(TEARS)) {
  test(`each file beside the ledger, ${how}: commands work or say what to do, and nothing hangs`, {
    skip: noBubblewrap,
    timeout: 600_000,
  }, async () => {
    const { data, order } = await lived(how.replaceAll(' ', '-'));
    const files = filesOf(data);
    assert.ok(
      ['node.key', 'config.yaml', 'id', 'lock.sqlite'].every((name) => files.includes(name)),
      files.join(),
    );
    for (const name of files) {
      const file = join(data.path, name);
      const whole = existsSync(file) ? readFileSync(file) : Buffer.from('{"url":"http://127.0.0.1:1","token":"t"}\n');
      writeFileSync(file, tear(whole), { mode: 0o600 });
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
  });
}
