import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { scratchFolder } from '../../../../test/support/test-process.ts';
import { systemTimer } from '../../../platform/timer.ts';
import { awaitPorts, removeDeadSockets } from './network-access.ts';

const before = process.env.TMPDIR;
const scratch = scratchFolder();
process.env.TMPDIR = scratch;
after(() => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
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

test('ports are awaited until they are open, and no longer than the process lives', async () => {
  const servers = [createServer(), createServer()].map((server) => server.listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  const [first, late] = servers;
  late?.close();
  await once(late as NonNullable<typeof late>, 'close');
  const awaited = awaitPorts(process.pid, ports, systemTimer());
  late?.listen(ports[1], '127.0.0.1');
  assert.equal(await awaited, null);
  for (const server of [first, late]) server?.close();
  const { pid: dead } = spawnSync('true');
  assert.equal(await awaitPorts(dead, [1], systemTimer()), 1);
});
