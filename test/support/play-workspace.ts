import { applyRun } from '../../src/workspace/apply-run.ts';
import { undoRun } from '../../src/workspace/undo-run.ts';

/** `node play-workspace.ts undo|apply JSON`: a process of its own, so that a test can kill it on the way. */
const [verb, text = ''] = process.argv.slice(2);
const { place, order } = JSON.parse(text);
const ended = verb === 'undo' ? await undoRun(place, order) : await applyRun(place, order);
process.stdout.write(ended.kind);
