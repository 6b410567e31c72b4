import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaintAfter } from './complaint.ts';

const complaintIn = (...lines: readonly string[]) => lines.reduce<string | null>(complaintAfter, null);

test('the complaint of a program is its last line that says what is wrong, without colours and stack', () => {
  const codex = complaintIn(
    'Error loading config.toml:',
    '/home/jane/.codex/config.toml:1:11: unclosed array',
    '1 | [[',
  );
  assert.equal(codex, 'Error loading config.toml: /home/jane/.codex/config.toml:1:11: unclosed array');
  const file =
    '\u001b[91m\u001b[1mError: \u001b[0mConfig file at /home/jane/.config/opencode/opencode.json is not valid JSON(C):';
  assert.match(complaintIn(file, '--- JSONC Input ---') ?? '', /^Error: Config file at \S+ is not valid JSON\(C\):$/);
  const node = complaintIn('Error: no such file', '    at Error (a.js:1)', '', 'Node.js v24.1.0');
  assert.equal(node, 'Error: no such file');
  assert.equal(complaintIn('hello', 'bye'), null);
  assert.equal(complaintIn(`error ${'x'.repeat(500)}`)?.length, 200);
});
