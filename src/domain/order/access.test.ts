import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AccessSources, effectiveAccess, NETWORK_LEVELS, type NetworkLevel } from './access.ts';

const SETTINGS = [true, false, null, undefined] as const;
const GRANTS = [
  { name: 'no grant', filesystem: undefined, read: ['/ws'], write: ['/ws'] },
  { name: 'a grant of null', filesystem: null, read: ['/ws'], write: ['/ws'] },
  { name: 'an empty grant', filesystem: { readPaths: [], writePaths: [] }, read: [], write: [] },
  { name: 'a grant to read', filesystem: { readPaths: ['/ws/docs'], writePaths: [] }, read: ['/ws/docs'], write: [] },
  {
    name: 'a grant to write only',
    filesystem: { readPaths: [], writePaths: ['/ws/out'] },
    read: [],
    write: ['/ws/out'],
  },
  {
    name: 'a grant to write inside what may be read',
    filesystem: { readPaths: ['/ws'], writePaths: ['/ws/src/a'] },
    read: ['/ws'],
    write: ['/ws/src/a'],
  },
] as const;

describe('AOP §11.2: what a task may touch, all combinations', () => {
  for (const fileSystemAccess of SETTINGS) {
    for (const readOnlyMode of SETTINGS) {
      for (const { name, filesystem, read, write } of GRANTS) {
        it(`file_system_access ${fileSystemAccess}, read_only_mode ${readOnlyMode}, ${name}`, () => {
          const sources: AccessSources = {
            workspaceRoot: '/ws',
            fileSystemAccess,
            readOnlyMode,
            filesystem,
            networkLevels: [],
          };
          const { readPaths, writePaths } = effectiveAccess(sources);
          const off = fileSystemAccess === false;
          assert.deepEqual(readPaths, off ? [] : read);
          assert.deepEqual(writePaths, off || readOnlyMode === true ? [] : write);
        });
      }
    }
  }
});

describe('the network is the most restrictive of what is set', () => {
  const levels = [undefined, null, ...NETWORK_LEVELS];
  const rank = (level: NetworkLevel) => ['NONE', 'RESTRICTED', 'FULL'].indexOf(level);

  for (const capabilities of levels) {
    it(`capabilities ${capabilities}, with every access and every constraint`, () => {
      for (const access of levels) {
        for (const constraints of levels) {
          const networkLevels = [capabilities, access, constraints];
          const { network } = effectiveAccess({ workspaceRoot: '/ws', networkLevels });
          const set = networkLevels.filter((level) => level !== null && level !== undefined);
          if (set.length === 0) assert.equal(network, 'RESTRICTED');
          else
            assert.ok(
              set.includes(network) && set.every((level) => rank(network) <= rank(level)),
              `${networkLevels} gave ${network}`,
            );
        }
      }
    });
  }

  const rows: [levels: (NetworkLevel | undefined)[], want: NetworkLevel][] = [
    [[], 'RESTRICTED'],
    [['FULL'], 'FULL'],
    [['FULL', undefined, 'FULL'], 'FULL'],
    [['FULL', 'RESTRICTED'], 'RESTRICTED'],
    [['RESTRICTED', 'FULL', 'NONE'], 'NONE'],
  ];
  for (const [networkLevels, want] of rows) {
    it(`[${networkLevels}] gives ${want}`, () => {
      assert.equal(effectiveAccess({ workspaceRoot: '/ws', networkLevels }).network, want);
    });
  }

  it('is told apart from the file system: none of it does not close the network', () => {
    const access = effectiveAccess({ workspaceRoot: '/ws', fileSystemAccess: false, networkLevels: ['FULL'] });
    assert.deepEqual(access, { readPaths: [], writePaths: [], readOnlyPaths: [], network: 'FULL' });
  });
});
