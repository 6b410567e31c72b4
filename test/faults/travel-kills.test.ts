import { test } from 'node:test';
import {
  IMPORT_POINTS,
  killImport,
  killPacking,
  killUnpacking,
  PACK_POINTS,
  UNPACK_POINTS,
} from '../support/remote/parcel-kills.ts';

for (const point of IMPORT_POINTS) {
  test(`an import that is killed at ${point} is ended by the next one`, () => killImport(point));
}

for (const point of UNPACK_POINTS) {
  test(`work whose unpacking is killed at ${point} is unpacked by the next call`, () => killUnpacking(point));
}

for (const point of PACK_POINTS) {
  test(`packing that is killed at ${point} makes the same parcel the next time`, () => killPacking(point));
}
