import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loopbackPortsOf, refuseNetworkWords } from './network-word.ts';

for (const word of [
  'npm',
  'github',
  'api.example.com',
  '*.example.com',
  'build:8443',
  'localhost:3000',
  '[::1]:8080',
]) {
  test(`${word} can be asked for`, () => assert.equal(refuseNetworkWords(['npm', word]), null));
}

const REFUSED: readonly (readonly [word: string, message: RegExp])[] = [
  ['npn', /^"npn" is neither a preset nor a host; did you mean npm\?$/],
  ['gihtub', /did you mean github\?$/],
  ['nmp', /did you mean npm\?$/],
  ['everything', /neither a preset nor a host$/],
  ['', /neither a preset nor a host$/],
  ['ht!tp', /neither/],
  ['https://example.com', /neither/],
  ['localhost', /neither/],
  ['10.0.0.5', /neither/],
  ['10.0.0.5:80', /neither/],
  ['*', /neither/],
];

for (const [word, message] of REFUSED) {
  test(`${JSON.stringify(word)} is refused, with what would do`, () => {
    const refusal = refuseNetworkWords([word]);
    assert.match(refusal?.message ?? '', message);
    assert.match(refusal?.hint ?? '', /npm, github, api\.example\.com/);
  });
}

test('ports of this machine are told apart from hosts', () => {
  assert.deepEqual(loopbackPortsOf(['npm', 'localhost:3000', '[::1]:80', 'build:8443', 'localhost']), [3_000, 80]);
});

test('a port that a sandbox cannot open is refused by its number', () => {
  assert.match(refuseNetworkWords(['npm', 'localhost:80'])?.message ?? '', /^port 80 of this machine cannot be opened/);
  assert.equal(refuseNetworkWords(['localhost:1024']), null);
});
