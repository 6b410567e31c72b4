import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOpenAddress } from './open-address.ts';

const OPEN = ['93.184.216.34', '8.8.8.8', '2606:2800:220:1:248:1893:25c8:1946', '2a00:1450:4001:80b::200e'];
const CLOSED = [
  ...[
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
  ],
  ...['100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '192.0.2.1', '::', '::1', 'fe80::1', 'fc00::1'],
  ...[
    'fd12:3456::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
  ],
];

test('addresses of the open net are told from those of this machine and the network around it', () => {
  assert.deepEqual(
    OPEN.filter((address) => !isOpenAddress(address)),
    [],
  );
  assert.deepEqual(CLOSED.filter(isOpenAddress), []);
});
