import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type * as z from 'zod';
import * as fields from './fields.ts';

const far = '2026-02-26T14:00:00';

const ROWS: [name: string, schema: z.ZodType, fits: unknown[], wrong: unknown[]][] = [
  ['text', fields.text(), ['a', ' ', '\u0000'], ['', 1, null, undefined]],
  ['text up to 3', fields.textUpTo(3), ['a', '😀😀😀', 'abc'], ['', 'abcd', '😀😀😀😀', 'a'.repeat(1e6)]],
  ['text up to 3, or none', fields.textUpTo(3, 0), ['', 'abc'], ['abcd']],
  ['id', fields.id(), ['a', '😀'.repeat(128)], ['', 'a'.repeat(129), 1]],
  ['hash', fields.hash(), ['a'.repeat(256)], ['', 'a'.repeat(257)]],
  [
    'instant',
    fields.instant(),
    [
      `${far}Z`,
      `${far}z`,
      '2026-02-26t14:00:00Z',
      `${far}.1Z`,
      `${far}.123456789012Z`,
      `${far}+23:59`,
      `${far}-00:00`,
      '2024-02-29T00:00:00Z',
      '2000-02-29T00:00:00Z',
      '0000-01-01T00:00:00Z',
    ],
    [
      far,
      `${far} Z`,
      `${far}.Z`,
      `${far}+24:00`,
      `${far}+0200`,
      '2026-02-29T00:00:00Z',
      '1900-02-29T00:00:00Z',
      '2026-04-31T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-00-01T00:00:00Z',
      '2026-02-26T24:00:00Z',
      '2026-02-26T14:60:00Z',
      '2026-02-26',
      '',
      `${far}Z\n`,
      ` ${far}Z`,
      0,
      '2026-02-26 14:00:00Z',
    ],
  ],
  ['instant in UTC', fields.instantUtc(), [`${far}Z`, `${far}.123Z`], [`${far}z`, `${far}+00:00`, `${far}-00:00`, far]],
  [
    'uuid',
    fields.uuid(),
    ['0195c3a0-7e5e-7b1a-9c3e-2f6f1d0a4b11', '0195C3A0-7E5E-7B1A-9C3E-2F6F1D0A4B11'],
    ['0195c3a07e5e7b1a9c3e2f6f1d0a4b11', '{0195c3a0-7e5e-7b1a-9c3e-2f6f1d0a4b11}', ''],
  ],
  [
    'task name',
    fields.taskName(),
    ['TASK-2026-02-09-057'],
    ['TASK-2026-02-09-57', 'task-2026-02-09-057', 'TASK-2026-02-09-0571', 'TASK-2026-02-09-057\n'],
  ],
  [
    'count',
    fields.count(),
    [0, 1, Number.MAX_SAFE_INTEGER],
    [-1, 0.5, 2 ** 53, '1', Number.NaN, Number.POSITIVE_INFINITY],
  ],
  ['count from 1', fields.count(1), [1], [0]],
  ['amount', fields.amount(), [0, 0.001, 1e300], [-0.1, '1', Number.NaN, Number.POSITIVE_INFINITY]],
  ['percentage', fields.percentage(), [0, 33.3, 100], [-0.1, 100.1]],
  ['free form', fields.freeForm(), [{}, { a: { b: [] }, '': null }], [[], null, 'a', 1]],
  ['any value', fields.anyValue(), [null, 0, '', false, {}, []], [undefined]],
];

describe('the building blocks of every schema', () => {
  for (const [name, schema, fits, wrong] of ROWS) {
    it(name, () => {
      for (const value of fits) assert.equal(schema.safeParse(value).success, true, `fits: ${JSON.stringify(value)}`);
      for (const value of wrong)
        assert.equal(schema.safeParse(value).success, false, `wrong: ${JSON.stringify(value)}`);
    });
  }
});
