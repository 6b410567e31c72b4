import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';

interface Row {
  file: string;
  line?: number;
  protocol: string | null;
  verdict: 'accepted' | 'malformed' | 'foreign';
  code: string | null;
  warnings?: string[];
  source: string;
  verbatim: boolean;
  blocks?: string[];
}

interface Block {
  id: string;
  source: string;
  language: string;
  sha256: string;
  message: boolean;
  rendered?: string;
  why?: string;
}

const here = import.meta.dirname;
const text = (file: string): string => readFileSync(join(here, file), 'utf8');
const rows = JSON.parse(text('manifest.json')) as Row[];
const blocks = JSON.parse(text('blocks.json')) as Block[];
const at = (row: Row): string => (row.line === undefined ? row.file : `${row.file}:${row.line}`);
const isLined = (file: string): boolean => /\.(ndjson|jsonl)$/.test(file);

function dataFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    // Tables of fields, which fields.test.ts compares with the schemas; they are no messages.
    if (path === join(here, 'fields')) return [];
    if (statSync(path).isDirectory()) return dataFiles(path);
    return folder === here ? [] : [relative(here, path).replaceAll('\\', '/')];
  });
}

test('every file of the manifest exists and every file of the corpus is in the manifest', () => {
  const rendered = blocks.flatMap((block) => block.rendered ?? []);
  const listed = [...new Set([...rows.map((row) => row.file), ...rendered])].sort();
  assert.deepEqual(dataFiles(here).sort(), listed);
});

test('every line of a lined file is exactly one row and a whole file is one row', () => {
  for (const file of new Set(rows.map((row) => row.file))) {
    const lines = rows.filter((row) => row.file === file).map((row) => row.line);
    const expected = isLined(file)
      ? text(file)
          .trimEnd()
          .split('\n')
          .map((_, index) => index + 1)
      : [undefined];
    assert.deepEqual(lines, expected, file);
  }
});

test('accepted messages lie in accepted, all others in rejected, and only malformed ones have a code', () => {
  for (const row of rows) {
    assert.equal(row.file.split('/')[1], row.verdict === 'accepted' ? 'accepted' : 'rejected', at(row));
    assert.equal(row.code !== null, row.verdict === 'malformed', at(row));
  }
});

test('every fenced block of the five documents is a row, a rendered file, or says why it is neither', () => {
  const held = new Set(rows.flatMap((row) => row.blocks ?? []));
  assert.deepEqual(
    [...held].filter((id) => !blocks.some((block) => block.id === id)),
    [],
  );
  for (const block of blocks) {
    assert.equal(held.has(block.id), block.message, block.id);
    if (block.language === 'json') assert.ok(block.message, block.id);
    assert.ok(block.message || block.rendered || block.why, block.id);
  }
});

test('a verbatim row is word for word the block it stands for', () => {
  const shas = new Map(blocks.map((block) => [block.id, block.sha256]));
  const sha256 = (value: string): string => createHash('sha256').update(value).digest('hex');
  for (const row of rows.filter((each) => each.verbatim)) {
    const digest = sha256(text(row.file).replace(/\n$/, ''));
    assert.ok(
      row.blocks?.some((id) => shas.get(id) === digest),
      at(row),
    );
  }
  for (const block of blocks) {
    if (block.rendered) assert.equal(sha256(text(block.rendered).replace(/\n$/, '')), block.sha256, block.id);
  }
});
