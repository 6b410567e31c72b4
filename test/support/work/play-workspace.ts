import { applyRun } from '../../../src/workspace/merge/apply-run.ts';
import { storeOf } from '../../../src/workspace/shadow/private-repository.ts';
import { pruneStore } from '../../../src/workspace/shadow/prune-store.ts';
import { undoRun } from '../../../src/workspace/undo/undo-run.ts';

/** `node play-workspace.ts undo|apply|prune JSON`: a process of its own, so that a test can kill it on the way. */
const [verb, text = ''] = process.argv.slice(2);
const { place, order } = JSON.parse(text);
if (verb === 'prune') {
  const isKept = (ref: string) => order.kept.some((task: string) => ref.includes(task));
  await pruneStore(storeOf(place), { isKept, trees: [], isDry: false });
  process.stdout.write('pruned');
} else {
  const ended = verb === 'undo' ? await undoRun(place, order) : await applyRun(place, order);
  process.stdout.write(ended.kind);
}
