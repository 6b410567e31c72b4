import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishFirst } from './finish-first.ts';

test('a change finishes although it is interrupted once, and then Ctrl-C ends the process again', async (t) => {
  const said: string[] = [];
  t.mock.method(process.stderr, 'write', (text: string) => said.push(text));
  const before = process.listenerCount('SIGINT');
  const { promise, resolve } = Promise.withResolvers<string>();
  const finished = finishFirst('undo', promise);
  process.emit('SIGINT');
  resolve('done');
  assert.equal(await finished, 'done');
  assert.match(said.join(''), /^warning: the undo is finished first; press Ctrl-C again to leave it half done$/m);
  assert.equal(process.listenerCount('SIGINT'), before);
});
