// A program: lives through everything the tree can show, in the folder given, and says what it did for a person. With
// BATON_CRASH it is killed on the way. `recover` only brings the tree up to date.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/platform/clock.ts';
import { randomIds } from '../../../src/platform/ids.ts';
import { systemTimer } from '../../../src/platform/timer.ts';
import { Mirror } from '../../../src/tree/mirror.ts';
import { TaskLife } from '../task/task-life.ts';
import { openTestLedger } from '../test-ledger.ts';

const [folder = '', what = 'play'] = process.argv.slice(2);
const at = openTestLedger(folder);
const life = new TaskLife(at);
const parts = { clock: systemClock(), ids: randomIds(), timer: systemTimer() };
const mirror = new Mirror({ ledger: at.ledger, root: folder, ...parts });

function typed(path: string, text: string): void {
  writeFileSync(join(folder, path), text);
  process.stdout.write(`${text}\n`);
}

async function play(): Promise<void> {
  const { id: first } = await life.claimed();
  const second = await life.inStatus('ready');
  const third = await life.create();
  await mirror.settled();
  await life.handOff(second, first);
  await mirror.settled();
  typed(`tasks/ready/${second}/outputs/summary.md`, 'an output');
  await life.report(first, 'partial');
  await life.end(first);
  await mirror.settled();
  // A second run of the first task, and the companion folder of the second goes over.
  await life.move(first, 'in-progress');
  await life.claim(second, 'swe-qa');
  await mirror.settled();
  typed(`tasks/backlog/${third}.md`, 'an edit');
  await life.move(third, 'ready');
  await mirror.settled();
  mkdirSync(join(folder, `tasks/review/${second}`));
  typed(`tasks/review/${second}/notes.md`, 'a note');
  await life.report(second, 'needs_review', { from: 'swe-qa' });
  await life.end(second, 'swe-qa');
  await life.end(first, 'operator');
  await life.claim(first);
  await mirror.settled();
}

mirror.start();
if (what === 'play') await play();
await mirror.settled();
await mirror.stop();
at.ledger.close();
