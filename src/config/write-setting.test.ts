import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeSetting } from './write-setting.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-setting-'));
after(() => rmSync(folder, { recursive: true }));

test('a refused value names its key once', () => {
  const path = join(folder, 'refused.yaml');
  const set = (key: string, value: string) => () => writeSetting({ path, key, value });
  assert.throws(set('http.port', 'x'), { message: 'nothing was set: http.port: must be a number, not "x"' });
  assert.throws(set('htpp.port', '1'), {
    message: 'nothing was set: htpp: is not a known field; did you mean http?',
  });
});

test('a value is set, and every other line stays as a person wrote it', () => {
  const path = join(folder, 'config.yaml');
  const written = [
    '# Ours.',
    'agents:',
    '  tester: { driver: process, command: [node, tools/a/rather/long/path/to/tester.mjs], role: reviewer, model: tester } # slow',
    'checks: ["npm test"]',
    '',
  ].join('\n');
  writeFileSync(path, written, { mode: 0o600 });
  writeSetting({ path, key: 'default_agent', value: 'tester' });
  assert.equal(readFileSync(path, 'utf8'), `${written}default_agent: tester\n`);
});

const CHANGES: readonly (readonly [before: string, key: string, value: string, after: string])[] = [
  ['', 'default_agent', 'emma', 'default_agent: emma\n'],
  ['# only words\n', 'default_agent', 'emma', '# only words\n\ndefault_agent: emma\n'],
  ['checks: [a]', 'default_agent', 'emma', 'checks: [a]\ndefault_agent: emma\n'],
  ['default_agent: emma # she\nchecks: [a]\n', 'default_agent', 'zoe', 'default_agent: zoe # she\nchecks: [a]\n'],
  ['http: {port: 1}\n', 'http.port', '7420', 'http: {port: 7420}\n'],
  ['{"checks":["a"]}\n', 'default_agent', 'emma', '{ "checks": [ "a" ], default_agent: emma }\n'],
  ['default_agent: emma\n', 'checks', '[npm test]', 'default_agent: emma\nchecks:\n  - npm test\n'],
];

for (const [before, key, value, wanted] of CHANGES) {
  test(`${key} = ${value} in ${JSON.stringify(before)}`, () => {
    const path = join(folder, 'one.yaml');
    writeFileSync(path, before, { mode: 0o600 });
    writeSetting({ path, key, value });
    assert.equal(readFileSync(path, 'utf8'), wanted);
  });
}
