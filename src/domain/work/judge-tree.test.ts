import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeTree, type TreeEntry } from './judge-tree.ts';

function entry(name: string, mode = '100644'): TreeEntry {
  return { name, mode, nameBytes: Buffer.byteLength(name) };
}

const HARMLESS: readonly (readonly TreeEntry[])[] = [
  [],
  [entry('a'), entry('b', '100755'), entry('c', '120000'), entry('d', '40000'), entry('e', '160000')],
  [entry('.gitignore'), entry('.gitmodules'), entry('.gitattributes'), entry('git'), entry('.github', '40000')],
  [entry('x.git', '40000'), entry('git~2'), entry('.gitx'), entry('..a'), entry('...')],
  [entry('line\nend'), entry(' blank '), entry('ü'), entry('back\\slash'), entry('a:b')],
  [entry('x'.repeat(255)), entry('old', '100664')],
];

for (const entries of HARMLESS) {
  test(`a folder with ${entries.length} plain names is harmless: ${entries[0]?.name.slice(0, 20)}`, () => {
    assert.deepEqual(judgeTree(entries), { problem: null, twins: null });
  });
}

const HARMFUL: readonly (readonly [why: string, entry: TreeEntry, reason: RegExp])[] = [
  ['git itself', entry('.git', '40000'), /folder of git/],
  ['a file in its place', entry('.git'), /folder of git/],
  ['a link in its place', entry('.git', '120000'), /folder of git/],
  ['large letters', entry('.GiT', '40000'), /folder of git/],
  ['the short name of NTFS', entry('GIT~1', '40000'), /folder of git/],
  ['a blank at the end', entry('.git ', '40000'), /folder of git/],
  ['dots at the end', entry('.git...', '40000'), /folder of git/],
  ['a stream of NTFS', entry('.git::$INDEX_ALLOCATION', '40000'), /folder of git/],
  ['a character that HFS+ leaves out', entry('.g\u200cit', '40000'), /folder of git/],
  ['a path behind a backslash', entry('.git\\config'), /folder of git/],
  ['the folder above', entry('..', '40000'), /no name/],
  ['the folder itself', entry('.', '40000'), /no name/],
  ['no name', entry(''), /no name/],
  ['a path', entry('a/b'), /no name/],
  ['a path that leads out', entry('../x'), /no name/],
  ['a device', entry('dev', '60000'), /no kind of file/],
  ['the rights to become another user', entry('su', '104755'), /no kind of file/],
  ['a link to the list of submodules', entry('.gitmodules', '120000'), /link/],
  ['a link to it in large letters', entry('.GITMODULES', '120000'), /link/],
  ['a name that no disk has', entry('x'.repeat(256)), /longer than/],
];

for (const [why, harmful, reason] of HARMFUL) {
  test(`a name is refused: ${why}`, () => {
    const { problem } = judgeTree([entry('readme'), harmful]);
    assert.equal(problem?.name, harmful.name);
    assert.match(problem?.reason ?? '', reason);
  });
}

test('two names that differ in their letters alone are told, and refused where they are a link and a folder', () => {
  assert.deepEqual(judgeTree([entry('README'), entry('readme')]).twins, ['README', 'readme']);
  assert.deepEqual(judgeTree([entry('\u00e4'), entry('a\u0308')]).twins, ['\u00e4', 'a\u0308']);
  const linked = judgeTree([entry('A', '120000'), entry('a', '40000')]);
  assert.match(linked.problem?.reason ?? '', /a link and a folder/);
  assert.deepEqual(judgeTree([entry('A', '120000'), entry('a')]).twins, ['A', 'a']);
  assert.match(judgeTree([entry('a'), entry('a')]).problem?.reason ?? '', /twice/);
});
