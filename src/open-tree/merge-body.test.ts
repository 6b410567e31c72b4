import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendToWorkLog } from '../domain/work-log.ts';
import { mergeBody } from './merge-body.ts';

const LOGGED = 'Do it.\n\n## Work Log\n\n- one\n- two\n\n## Notes\n\nKept.\n';

interface Case {
  readonly name: string;
  readonly base: string | null;
  readonly ledger: string;
  readonly disk: string;
  /** The result, or the conflicting field in brackets. */
  readonly wanted: string;
}

const CASES: readonly Case[] = [
  { name: 'nothing was typed', base: 'a\n', ledger: 'b\n', disk: 'a\n', wanted: 'b\n' },
  { name: 'only the person wrote', base: 'a\n', ledger: 'a\n', disk: 'b\n', wanted: 'b\n' },
  { name: 'both wrote the same', base: 'a\n', ledger: 'b\n', disk: 'b\n', wanted: 'b\n' },
  { name: 'both wrote the same line otherwise', base: 'a\n', ledger: 'b\n', disk: 'c\n', wanted: '[body]' },
  { name: 'all was taken out', base: 'a\nb\n', ledger: 'a\nb\n', disk: '', wanted: '' },
  {
    name: 'the last line changed while a first entry was logged',
    base: 'Do it.\n',
    ledger: appendToWorkLog('Do it.\n', '- one'),
    disk: 'Do it well.\n',
    wanted: 'Do it well.\n\n## Work Log\n\n- one\n',
  },
  {
    name: 'a paragraph was added while a first entry was logged',
    base: 'Do it.\n',
    ledger: appendToWorkLog('Do it.\n', '- one'),
    disk: 'Do it.\n\nAnd more.\n',
    wanted: 'Do it.\n\nAnd more.\n\n## Work Log\n\n- one\n',
  },
  {
    name: 'a body without an end of line gets a log and more text',
    base: 'Do it.',
    ledger: appendToWorkLog('Do it.', '- one'),
    disk: 'Do it.\nAnd more.',
    wanted: 'Do it.\nAnd more.\n\n## Work Log\n\n- one\n',
  },
  {
    name: 'both appended an entry',
    base: LOGGED,
    ledger: LOGGED.replace('- two\n', '- two\n- three\n'),
    disk: LOGGED.replace('- two\n', '- two\n- mine\n'),
    wanted: LOGGED.replace('- two\n', '- two\n- three\n- mine\n'),
  },
  {
    name: 'an entry was put between others',
    base: LOGGED,
    ledger: LOGGED,
    disk: LOGGED.replace('- two\n', '- between\n- two\n'),
    wanted: LOGGED.replace('- two\n', '- between\n- two\n'),
  },
  { name: 'an entry was taken out', base: LOGGED, ledger: LOGGED, disk: LOGGED.replace('- one\n', ''), wanted: LOGGED },
  {
    name: 'the whole log was taken out, and a line changed',
    base: LOGGED,
    ledger: LOGGED,
    disk: 'Do it well.\n\n## Notes\n\nKept.\n',
    wanted: LOGGED.replace('Do it.', 'Do it well.'),
  },
  {
    name: 'everything was replaced',
    base: LOGGED,
    ledger: LOGGED.replace('- two\n', '- two\n- three\n'),
    disk: 'All new.',
    wanted: 'All new.\n\n## Work Log\n\n- one\n- two\n- three\n',
  },
  {
    name: 'an entry reads otherwise',
    base: LOGGED,
    ledger: LOGGED,
    disk: LOGGED.replace('- one', '- 1'),
    wanted: '[work log]',
  },
  {
    name: 'an editor ends every line in its own way',
    base: LOGGED,
    ledger: LOGGED,
    disk: LOGGED.replace('Kept', 'Kept too').replaceAll('\n', '\r\n'),
    wanted: LOGGED.replace('Kept', 'Kept too'),
  },
  {
    name: 'an older text of Baton comes back',
    base: null,
    ledger: LOGGED,
    disk: LOGGED.replace('- two\n', ''),
    wanted: LOGGED,
  },
  { name: 'nobody knows what it was typed on', base: null, ledger: LOGGED, disk: `${LOGGED}more\n`, wanted: '[body]' },
];

for (const { name, base, ledger, disk, wanted } of CASES) {
  test(`${name}: ${JSON.stringify(wanted.slice(0, 40))}`, () => {
    const merged = mergeBody({ base, ledger, disk });
    assert.equal(merged.kind === 'merged' ? merged.body : `[${merged.field}]`, wanted);
  });
}
