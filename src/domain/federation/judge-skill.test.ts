import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeSkill, type PresentSkill } from './judge-skill.ts';

const OFFERED = { name: 'checklist', version: '1.1.0', hash: 'new' };
const kindOf = (present: PresentSkill | null, installedHash: string | null = null) =>
  judgeSkill(OFFERED, present, installedHash).kind;

test('a skill that is not there is installed, and the same files are enough', () => {
  assert.equal(kindOf(null), 'install');
  assert.equal(kindOf({ version: '1.1.0', hash: 'new' }), 'present');
});

test('an older version that came from another node is replaced, unless somebody changed it', () => {
  const old = { version: '1.0.0', hash: 'old' };
  assert.equal(kindOf(old, 'old'), 'install');
  assert.equal(kindOf(old, 'before the change'), 'refuse');
  assert.equal(kindOf(old), 'refuse');
});

test('a newer version, other files of the same version and an unknown version stay', () => {
  assert.equal(kindOf({ version: '2.0.0', hash: 'newer' }, 'newer'), 'refuse');
  assert.equal(kindOf({ version: '1.1.0', hash: 'other' }, 'other'), 'refuse');
  assert.equal(kindOf({ version: 'yesterday', hash: 'other' }, 'other'), 'refuse');
});
