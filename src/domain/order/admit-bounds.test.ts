import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import type { Access, NetworkLevel } from './access.ts';
import { needsOf, refuseNeeds } from './admit-bounds.ts';
import { pathsOf } from './admit-paths.ts';

interface Case {
  readonly workspace?: string;
  readonly access?: Partial<Access>;
  readonly allowed?: readonly string[];
  readonly network?: NetworkLevel;
  /** A part of the message; null where the order is within its bounds. */
  readonly refused: string | null;
}

const HOME = '/home/u';
const LINKS: Readonly<Record<string, string>> = { '/ws/keys': `${HOME}/.ssh`, '/data-link': '/data' };

const CASES: Readonly<Record<string, Case>> = {
  'the workspace needs no permission': { refused: null },
  'a path below the workspace needs none': { access: { readPaths: ['/ws/a'], writePaths: ['/ws/b'] }, refused: null },
  'a path beside it does': { access: { readPaths: ['/ws', `${HOME}/.ssh`] }, refused: `read ${HOME}/.ssh` },
  'a sibling with the same beginning does': { access: { writePaths: ['/ws-evil'] }, refused: 'write /ws-evil' },
  'a link of the workspace that leads out does': { access: { readPaths: ['/ws/keys'] }, refused: 'read /ws/keys' },
  'each path is named': {
    access: { readPaths: ['/a'], writePaths: ['/b'], network: 'FULL' },
    network: 'RESTRICTED',
    refused: 'read /a, write /b, use the whole network',
  },
  'an allowed path is granted with everything below it': {
    access: { readPaths: ['/data/x'], writePaths: ['/data'] },
    allowed: ['/data'],
    refused: null,
  },
  'an allowed path is compared by its real path': {
    access: { readPaths: ['/data-link'] },
    allowed: ['/data'],
    refused: null,
  },
  'what every sandbox shows may be read': { access: { readPaths: ['/usr/share/dict'] }, refused: null },
  'and not written': { access: { writePaths: ['/usr/share/dict'] }, refused: 'write /usr/share/dict' },
  'the whole network needs leave': { access: { network: 'FULL' }, network: 'RESTRICTED', refused: 'whole network' },
  'and is granted with it': { access: { network: 'FULL' }, network: 'FULL', refused: null },
  'a home as the workspace needs leave': { workspace: HOME, refused: `write ${HOME}` },
  'so does a folder above it': { workspace: '/home', refused: 'write /home' },
  'so does the root': { workspace: '/', refused: 'write /' },
  'so does a folder of keys': { workspace: `${HOME}/.ssh`, refused: `write ${HOME}/.ssh` },
  'a home that is allowed is worked in': { workspace: HOME, allowed: [HOME], refused: null },
  'a folder of the home is an ordinary workspace': { workspace: `${HOME}/shop`, refused: null },
  'a home as the workspace makes nothing in it allowed': {
    workspace: HOME,
    access: { readPaths: [`${HOME}/.ssh`], writePaths: [] },
    refused: `read ${HOME}/.ssh`,
  },
};

for (const [name, { workspace = '/ws', access = {}, allowed = [], network = 'FULL', refused }] of Object.entries(
  CASES,
)) {
  test(`bounds of an order: ${name}`, () => {
    const plain = {
      readPaths: [workspace],
      writePaths: [workspace],
      readOnlyPaths: [],
      network: 'RESTRICTED',
    } as const;
    const order = anOrder({
      workspaceRoot: workspace,
      access: { ...plain, ...access },
      bounds: { allow: allowed, network },
    });
    const places = new Map(
      pathsOf(order).map((path) => [path, { kind: 'there', what: 'folder', realPath: LINKS[path] ?? path } as const]),
    );
    const found = refuseNeeds(order, needsOf(order, { places, dataFolder: null, homes: [HOME], allowed }));
    if (refused === null) assert.equal(found, null);
    else {
      assert.equal(found?.code, 'E_PERMISSION_DENIED');
      assert.ok(found?.message.includes(refused), found?.message);
    }
  });
}

test('an order of an older Baton, which has no bounds, gets nothing beside its workspace', () => {
  const { bounds: _, ...order } = anOrder({ access: { ...anOrder().access, network: 'FULL' } });
  const places = new Map([['/ws', { kind: 'there', what: 'folder', realPath: '/ws' } as const]]);
  assert.equal(
    refuseNeeds(order, needsOf(order, { places, dataFolder: null, homes: [], allowed: [] }))?.code,
    'E_PERMISSION_DENIED',
  );
});

test('the refusal names the first field that exceeds the bounds', () => {
  const fieldOf = (workspaceRoot: string, access: Partial<Access>) => {
    const bounds = { allow: [], network: 'RESTRICTED' } as const;
    const order = anOrder({ workspaceRoot, access: { ...anOrder().access, ...access }, bounds });
    const places = new Map(pathsOf(order).map((path) => [path, { kind: 'missing', realPath: path } as const]));
    return refuseNeeds(order, needsOf(order, { places, dataFolder: null, homes: [HOME], allowed: [] }))?.field;
  };
  const beside = { readPaths: ['/ws', '/a'], writePaths: ['/ws', '/b', '/c'] };
  assert.deepEqual(fieldOf('/ws', beside), { kind: 'read-path', index: 1 });
  assert.deepEqual(fieldOf('/ws', { ...beside, readPaths: ['/ws'] }), { kind: 'write-path', index: 1 });
  assert.deepEqual(fieldOf(HOME, { readPaths: [HOME], writePaths: [] }), { kind: 'workspace' });
  assert.deepEqual(fieldOf('/ws', { network: 'FULL' }), { kind: 'network' });
});
