import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { packSkill, unpackSkill, writeSkill } from './pack-skill.ts';
import { readSkillFiles } from './skills.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-skills-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const SKILL = { path: 'SKILL.md', bytes: Buffer.from('---\nname: a\nversion: 1.0.0\n---\n') };

test('a skill is the same after its journey, and has the same hash', () => {
  const files = [SKILL, { path: 'bin/run it.sh', bytes: Buffer.from([0, 255, 10]) }];
  const packed = packSkill(files);
  const unpacked = unpackSkill(packed.bytes);
  assert.ok(typeof unpacked !== 'string', String(unpacked));
  writeSkill(folder, 'a', unpacked);
  const read = readSkillFiles(join(folder, 'a'));
  assert.ok(typeof read !== 'string');
  assert.equal(packSkill(read).hash, packed.hash);
});

test('a newer skill takes the place of the old one, and nothing of the old one stays', () => {
  mkdirSync(join(folder, 'b'));
  writeFileSync(join(folder, 'b', 'old.txt'), 'old');
  mkdirSync(join(folder, '.b.new'));
  writeFileSync(join(folder, '.b.new', 'half.txt'), 'of a node that died');
  writeSkill(folder, 'b', [SKILL]);
  assert.deepEqual(readdirSync(join(folder, 'b')), ['SKILL.md']);
  assert.equal(readFileSync(join(folder, 'b', 'SKILL.md'), 'utf8'), SKILL.bytes.toString());
  assert.ok(!existsSync(join(folder, '.b.new')) && !existsSync(join(folder, '.b.old')));
});

for (const path of ['../x', '/etc/x', 'a/../../x', '.git/hooks/x', 'a//b', 'a\0b', 'C:\\x', '', '.', 'a/.'])
  test(`a packed skill with the path ${JSON.stringify(path)} is refused whole`, () => {
    const { bytes } = packSkill([SKILL, { path, bytes: Buffer.from('x') }]);
    assert.equal(typeof unpackSkill(bytes), 'string');
  });

test('what is no packed skill is refused', () => {
  for (const text of ['', '{}', '[1]', '[{"path":"SKILL.md"}]', '[]', 'null'])
    assert.equal(typeof unpackSkill(Buffer.from(text)), 'string', text);
  assert.equal(typeof unpackSkill(packSkill([SKILL, SKILL]).bytes), 'string');
});
