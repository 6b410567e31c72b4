import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceFiles } from '../../test/house/source-file.ts';
import {
  IMPORT_POINTS,
  killImport,
  killPacking,
  killUnpacking,
  PACK_POINTS,
  UNPACK_POINTS,
} from '../../test/support/remote/parcel-kills.ts';

// `npm run faults` kills at every point.

test('every place where work on its way lets itself be killed is in the tables', () => {
  const names = sourceFiles('src').flatMap(({ text }) =>
    [...text.matchAll(/crashPoint\('(parcel\.[^']+)'\)/g)].map(([, name]) => name),
  );
  const known = [...IMPORT_POINTS, ...UNPACK_POINTS, ...PACK_POINTS].filter((name) => name.startsWith('parcel.'));
  assert.notEqual(names.length, 0);
  assert.deepEqual([...new Set(names)].sort(), [...new Set(known)].sort());
});

for (const point of ['parcel.result-laid-out', 'parcel.result-recorded']) {
  test(`an import that is killed at ${point} is ended by the next one`, () => killImport(point));
}

test('work whose unpacking is killed is unpacked by the next call', () => killUnpacking('parcel.files-laid-out'));

test('packing that is killed makes the same parcel the next time', () => killPacking('parcel.base-recorded'));
