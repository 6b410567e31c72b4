// A program: lives through tasks with the open tree on, in the folder given. With `hand` somebody also edits, moves and
// adds files, and the program says what was done by then. With BATON_CRASH it is killed on the way.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenTree } from '../../../src/open-tree/open-tree.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { systemFolderWatch } from '../../../src/platform/files/folder-watch.ts';
import { randomIds } from '../../../src/platform/ids.ts';
import { systemTimer } from '../../../src/platform/timer.ts';
import { Mirror } from '../../../src/tree/mirror.ts';
import { TaskLife } from '../task/task-life.ts';
import { openTestLedger } from '../test-ledger.ts';

const [root = '', what = 'play'] = process.argv.slice(2);
const at = openTestLedger(root);
const life = new TaskLife(at);
const parts = { clock: systemClock(), ids: randomIds(), timer: systemTimer() };
const mirror = new Mirror({ ledger: at.ledger, root, ...parts, areEditsJudged: true });
const watch = systemFolderWatch;
const open = new OpenTree({ ledger: at.ledger, root, mirror, watch, ...parts });

function say(done: string): void {
  process.stdout.write(`${done}\n`);
}

async function play(): Promise<void> {
  const { id: first } = await life.claimed({ body: 'Do it.\n' });
  const second = await life.inStatus('ready', { body: 'Do it.\n' });
  const third = await life.inStatus('ready', { body: 'Do it.\n' });
  await mirror.settled();
  if (what === 'hand') byHand(second, third);
  await life.handOff(second, first);
  await mirror.settled();
  await life.report(first, 'partial');
  await life.end(first);
  await open.reconcileAll();
  await life.move(first, 'in-progress');
  if (what !== 'hand') await life.claim(second, 'swe-qa');
  await mirror.settled();
  await life.end(first, 'operator');
  await open.reconcileAll();
  await life.claim(first);
  await mirror.settled();
}

function byHand(second: string, third: string): void {
  const edited = join(root, `tasks/ready/${second}.md`);
  writeFileSync(edited, readFileSync(edited, 'utf8').replace('Do it.', 'Do it well.'));
  say('edited');
  renameSync(join(root, `tasks/ready/${third}.md`), join(root, `tasks/blocked/${third}.md`));
  say('moved');
  writeFileSync(join(root, 'tasks/backlog/idea.md'), '---\ntitle: An idea\nstatus: backlog\n---\n');
  say('added');
}

open.start();
mirror.start();
await play();
await mirror.settled();
await open.stop();
await mirror.stop();
at.ledger.close();
