import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import { executionOf, leased, snapshotted } from '../../../test/support/run/an-execution.ts';
import { aTask } from '../../../test/support/task/a-task.ts';
import { openTestLedger } from '../../../test/support/test-ledger.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { workFolderOf } from '../../work/place/work-folder.ts';
import { takeShadow } from '../../workspace/shadow/take-shadow.ts';
import { collectStep } from './collect-step.ts';
import type { StepParts } from './step-parts.ts';

let folder = '';
before(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-collect-')));
  mkdirSync(join(folder, 'repo', 'sub'), { recursive: true });
  mkdirSync(join(folder, 'data'));
  symlinkSync('repo/sub', join(folder, 'link'));
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-C', join(folder, 'repo'), '-c', 'user.name=n', '-c', 'user.email=e', ...words]);
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
});
after(() => rmSync(folder, { recursive: true, force: true }));

for (const workspace of ['repo/sub', 'link']) {
  test(`files are told from the workspace ${workspace}, which lies below the top of its repository`, async () => {
    const order = anOrder({ workspaceRoot: join(folder, workspace) });
    const { ledger } = openTestLedger();
    const overlaps = { saw: async () => undefined, end: () => undefined };
    const taskFolders = { close: () => undefined };
    const clock = { now: () => ({ wallMs: 1 }) };
    const world = { dataFolder: join(folder, 'data'), clock, ledger };
    const parts = { world, live: { overlaps }, taskFolders } as unknown as StepParts;
    const place = { order, workplace: { kind: 'in-place' }, dataFolder: world.dataFolder } as const;
    const { shadows } = workFolderOf(place);
    assert.ok(shadows);
    const { commit } = await takeShadow(shadows, { task: aTask({}).id, label: `${workspace}-0`, atMs: 1 });
    writeFileSync(join(folder, 'repo/sub/in.txt'), workspace);
    writeFileSync(join(folder, 'repo/beside.txt'), workspace);
    const execution = executionOf(order, snapshotted({ commit }), leased('r1'));
    const open: OpenOrder = { task: aTask({}), round: 1, orderedAt: 0, provenance: null, execution };
    const found = await collectStep(parts, open);
    assert.deepEqual(found.changed.map(({ path }) => path).sort(), [join(folder, 'repo/beside.txt'), 'in.txt']);
    assert.ok(found.changed.every(({ sha256, sizeBytes }) => sha256 !== null && sizeBytes === workspace.length));
  });
}
