import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folderFlagOf } from './call-parts.ts';
import type { Call } from './command.ts';

for (const [data, flag] of [
  [undefined, ''],
  ['/home/jane/.baton', ' --data /home/jane/.baton'],
  ["it's here", " --data 'it'\\''s here'"],
] as const) {
  test(`a call with --data ${data} is followed by calls with${flag || ' none'}`, () => {
    assert.equal(folderFlagOf({ words: [], flags: { data } } as unknown as Call), flag);
  });
}
