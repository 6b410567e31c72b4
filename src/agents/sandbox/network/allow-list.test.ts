import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AllowList, isOpenAddress, readTarget } from './allow-list.ts';

const NAMES = ['api.example.com', '*.models.test', 'git.example.com:22', '127.0.0.2', '127.0.0.2:5000', '*', '*.'];
const LIST = new AllowList([...NAMES, 'localhost:3000', 'localhost'], [4_010, 3_000]);

function judge(authority: string): string {
  const target = readTarget(authority, null);
  return target ? LIST.judge(target).kind : 'unreadable';
}

const TARGETS: readonly (readonly [authority: string, verdict: string])[] = [
  ['api.example.com:443', 'name'],
  ['api.example.com:80', 'name'],
  ['API.Example.COM:443', 'name'],
  ['api.example.com.:443', 'name'],
  ['api.example.com:22', 'refused'],
  ['git.example.com:22', 'name'],
  ['git.example.com:443', 'refused'],
  ['a.models.test:443', 'name'],
  ['a.b.models.test:443', 'name'],
  ['models.test:443', 'refused'],
  ['evilmodels.test:443', 'refused'],
  ['api.example.com.evil.test:443', 'refused'],
  ['localhost:4010', 'loopback'],
  ['127.0.0.1:4010', 'loopback'],
  ['[::1]:4010', 'loopback'],
  ['127.0.0.1:4011', 'refused'],
  ['localhost:3000', 'loopback'],
  ['127.0.0.1:3000', 'loopback'],
  ['localhost:443', 'refused'],
  ['127.0.0.1:5000', 'refused'],
  ['127.0.0.2:5000', 'refused'],
  ['127.0.0.2:443', 'refused'],
  ['127.1:4010', 'refused'],
  ['2130706433:4010', 'refused'],
  ['0x7f.0.0.1:4010', 'refused'],
  ['0x7f000001:443', 'refused'],
  ['169.254.169.254:80', 'refused'],
  ['[::ffff:127.0.0.1]:4010', 'refused'],
  ['other.test:443', 'refused'],
  ['a b.models.test:443', 'unreadable'],
  ['user@api.example.com:443', 'unreadable'],
  ['api.example.com', 'unreadable'],
  ['api.example.com:0', 'unreadable'],
  ['api.example.com:99999', 'unreadable'],
  ['api.example.com:443:443', 'unreadable'],
  ['', 'unreadable'],
];

for (const [authority, verdict] of TARGETS) {
  test(`who asks for ${JSON.stringify(authority)} hears: ${verdict}`, () => {
    assert.equal(judge(authority), verdict);
  });
}

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
