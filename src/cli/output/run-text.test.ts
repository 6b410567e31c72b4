import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookFor } from './look.ts';
import { runText } from './run-text.ts';

const PLAIN = lookFor(0, false);

test('only the line that Baton wrote to begin a run is left out of the output', () => {
  const text = '--- run_1 emma\n--- run_2 emma\ndone\n';
  const shown = runText({ kind: 'output', text, headings: [0] }, PLAIN);
  assert.deepEqual(
    String(shown)
      .split('\n')
      .map((line) => line.trim()),
    ['│ --- run_2 emma', '│ done'],
  );
});

test('a page with nothing but the beginning of a run is not shown', () => {
  assert.equal(runText({ kind: 'output', text: '--- run_1 emma\n', headings: [0] }, PLAIN), null);
});
