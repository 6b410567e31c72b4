import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EventView } from '../../src/api/contract.ts';
import { DataFolder, scratchFolder } from '../support/data-folder.ts';
import { linesOf } from '../support/run-baton.ts';
import { taken } from '../support/taken.ts';
import { TestDaemon } from '../support/test-daemon.ts';

const scratch = scratchFolder('lost-log');

interface RefusedCall {
  readonly code: string;
  readonly hint: string;
  readonly errors: readonly { readonly message: string }[];
}

interface Lived {
  readonly data: DataFolder;
  readonly ledger: string;
  /** The events that were acknowledged, and are in the tree. */
  readonly events: readonly EventView[];
  readonly lost: readonly string[];
}

/** A node that acknowledged tasks, showed them in the tree and was killed. */
async function lived(name: string): Promise<Lived> {
  const data = new DataFolder(join(scratch, name));
  await data.newTask('Safe');
  const ledger = join(data.path, 'ledger.sqlite');
  copyFileSync(ledger, join(scratch, `${name}.early`));
  const daemon = await TestDaemon.start(data.path);
  const lost: string[] = [];
  for (const title of ['One', 'Two', 'Three']) lost.push((await data.newTask(title)).id);
  const { events } = taken(await daemon.client.listEvents({ after: 0, limit: 100 }));
  await daemon.client.treeSettled();
  await daemon.end('SIGKILL');
  assert.ok(statSync(`${ledger}-wal`).size > 0);
  return { data, ledger, events, lost };
}

function cut(file: string, bytes: number): void {
  truncateSync(file, bytes);
}

const LOSSES: Readonly<Record<string, (life: Lived) => void>> = {
  gone: ({ ledger }) => rmSync(`${ledger}-wal`),
  empty: ({ ledger }) => cut(`${ledger}-wal`, 0),
  'its header alone': ({ ledger }) => cut(`${ledger}-wal`, 32),
  'cut in its first half': ({ ledger }) => cut(`${ledger}-wal`, Math.floor(statSync(`${ledger}-wal`).size / 3)),
  'left behind by a careless copy': ({ data, ledger }) => {
    for (const suffix of ['-wal', '-shm']) rmSync(`${ledger}${suffix}`, { force: true });
    copyFileSync(join(scratch, `${data.path.split('/').at(-1)}.early`), ledger);
  },
};

const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

async function refusedOf(
  data: DataFolder,
  ...args: string[]
): Promise<readonly [number | null, RefusedCall | undefined]> {
  const run = await data.run([...args, '--json']);
  return [run.status, linesOf<RefusedCall>(run)[0]];
}

const REFUSED = [['status'], ['task', 'list'], ['task', 'new', '--title', 'More'], ['up'], ['rebuild', 'ledger']];

/** The commands refuse, doctor names the loss, and nothing is written. */
async function assertRefused({ data, ledger, events, lost }: Lived, commands: string[][]): Promise<void> {
  const before = hashOf(ledger);
  const last = events.at(-1)?.eventId;
  for (const args of commands) {
    const [status, refused] = await refusedOf(data, ...args);
    assert.deepEqual([status, refused?.code], [2, 'events_lost'], args.join(' '));
    assert.match(refused?.errors[0]?.message ?? '', new RegExp(`events? .*${last}\\b`));
    assert.match(refused?.errors[0]?.message ?? '', new RegExp(lost.at(-1) ?? ''));
    assert.match(refused?.hint ?? '', /rebuild --from tree.*--accept-loss/);
  }
  const doctor = await data.run(['doctor']);
  assert.equal(doctor.status, 1);
  assert.match(doctor.stdout, new RegExp(`wrong {2}ledger: .*${lost.at(-1)}`));
  assert.equal(hashOf(ledger), before);
}

for (const [at, [name, lose]] of Object.entries(LOSSES).entries()) {
  test(`a log that is ${name}: the loss is named, refused, and accepted by the operator alone; no number is given twice`, async () => {
    const life = await lived(name.replaceAll(' ', '-'));
    const { data, events, lost } = life;
    lose(life);
    // Each command meets a loss; the first loss meets every command.
    await assertRefused(life, at === 0 ? REFUSED : [REFUSED[at] ?? []]);
    const last = events.at(-1)?.eventId ?? 0;

    const accepted = await data.json<{ lost: { from: number; to: number; tasks: string[] }; treeKeptAs: string }>(
      ...['rebuild', '--from', 'ledger', '--accept-loss'],
    );
    assert.equal(accepted.lost.to, last);
    assert.deepEqual(accepted.lost.tasks.at(-1), lost.at(-1));
    assert.ok(readdirSync(join(accepted.treeKeptAs, 'events')).length > 0);
    const fresh = await data.newTask('After');
    assert.ok(!lost.includes(fresh.id), fresh.id);
    const now = linesOf<EventView>(await data.run(['events', '--json']));
    const told = now.filter(({ type }) => type === 'incident.opened');
    assert.deepEqual(
      told.map(({ payload }) => payload.kind),
      ['events_lost'],
    );
    assert.ok((now.find(({ taskId }) => taskId === fresh.id)?.eventId ?? 0) > last);
    for (const { eventId, type, timestamp } of now.filter((event) => event.eventId <= last))
      assert.deepEqual(
        [type, timestamp],
        [events[eventId - 1]?.type, events[eventId - 1]?.timestamp],
        `event ${eventId} is another one`,
      );
    assert.equal((await data.run(['doctor'])).status, 0);
    const daemon = await TestDaemon.start(data.path);
    assert.equal((await daemon.end()).status, 0);
  });
}

test('a ledger that lost events is made anew from the tree with all tasks, and goes on above the lost numbers', async () => {
  const life = await lived('from-tree');
  const { data, ledger, events, lost } = life;
  rmSync(`${ledger}-wal`);
  await data.json('rebuild', '--from', 'tree');
  const tasks = linesOf<{ id: string }>(await data.run(['task', 'list', '--json'])).map(({ id }) => id);
  assert.deepEqual(
    lost.filter((id) => !tasks.includes(id)),
    [],
  );
  const now = linesOf<EventView>(await data.run(['events', '--json']));
  assert.ok(now.every(({ eventId }) => eventId > (events.at(-1)?.eventId ?? 0)));
});

test('a loss is not accepted where there is none', async () => {
  const data = new DataFolder(join(scratch, 'none'));
  await data.newTask('One');
  const [status, refused] = await refusedOf(data, 'rebuild', '--from', 'ledger', '--accept-loss');
  assert.deepEqual([status, refused?.code], [2, 'invalid_argument']);
  assert.ok(existsSync(join(data.path, 'events')));
});
