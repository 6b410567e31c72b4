import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { removeDeadSockets } from './network-access.ts';

const before = process.env.TMPDIR;
const scratch = mkdtempSync(join(tmpdir(), 'sockets-'));
process.env.TMPDIR = scratch;
after(() => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  rmSync(scratch, { recursive: true, force: true });
});

test('the socket folders of dead nodes are removed, those of living ones and other files stay', () => {
  const { pid: dead } = spawnSync('true');
  const make = (name: string) => {
    mkdirSync(join(scratch, name));
    writeFileSync(join(scratch, name, 'proxy'), '');
    return join(scratch, name);
  };
  const gone = make(`baton-net-${dead}-a1b2c3`);
  const stay = [make(`baton-net-${process.pid}-a1b2c3`), make('baton-net-x'), make(`other-${dead}-a`)];
  removeDeadSockets();
  assert.equal(existsSync(gone), false);
  assert.deepEqual(stay.filter(existsSync), stay);
});
