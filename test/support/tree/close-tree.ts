// A program: closes folders of the tree for a while, in the folder given, and says which incidents were open at each
// step. It must not be root, whom nothing is closed to.
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { selectOpenIncidents } from '../../../src/ledger/statements/incidents.ts';
import { OpenTree } from '../../../src/open-tree/open-tree.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { systemFolderWatch } from '../../../src/platform/files/folder-watch.ts';
import { randomIds } from '../../../src/platform/ids.ts';
import { systemTimer } from '../../../src/platform/timer.ts';
import { Mirror } from '../../../src/tree/mirror.ts';
import { TaskLife } from '../task/task-life.ts';
import { openTestLedger } from '../test-ledger.ts';

const [root = ''] = process.argv.slice(2);
const at = openTestLedger(root);
const { ledger } = at;
const life = new TaskLife(at);
const parts = { ledger, root, clock: systemClock(), ids: randomIds(), timer: systemTimer() };
const mirror = new Mirror({ ...parts, areEditsJudged: true });
const open = new OpenTree({ ...parts, mirror, watch: systemFolderWatch });

async function look(): Promise<void> {
  await mirror.tick();
  await open.reconcileAll();
  await mirror.tick();
  await open.reconcileAll();
  await mirror.tick();
  const kinds = selectOpenIncidents(ledger.read, 100).map(({ kind }) => kind);
  process.stdout.write(`${kinds.sort().join(' ')}\n`);
}

const first = await life.inStatus('ready');
const second = await life.inStatus('ready');
await look();
for (const [folder, mode] of [
  ['tasks/ready', 0o500],
  ['tasks/ready', 0o000],
  ['tasks', 0o000],
] as const) {
  chmodSync(join(root, folder), mode);
  await life.do((await import('../../../src/operations/task/edit-task.ts')).editTask, {
    taskId: first,
    actor: 'operator',
    reason: null,
    change: { title: `Changed under ${folder} ${mode.toString(8)}` },
  });
  await look();
  chmodSync(join(root, folder), 0o700);
  await look();
  process.stdout.write(`${/^title: (.*)$/m.exec(readFileSync(join(root, `tasks/ready/${first}.md`), 'utf8'))?.[1]}\n`);
}
process.stdout.write(`${readFileSync(join(root, `tasks/ready/${second}.md`), 'utf8').length > 100}\n`);
await open.stop();
await mirror.stop();
ledger.close();
