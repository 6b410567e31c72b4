import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../../../../test/support/test-process.ts';
import { brokenSettings, readVendorSettings } from './settings-file.ts';

const scratch = scratchFolder();

function written(text: string): string {
  const file = join(mkdtempSync(join(scratch, 'settings-')), 'opencode.jsonc');
  writeFileSync(file, text);
  return file;
}

test('settings may have comments and a last comma, and texts that look like them', () => {
  const text = '\ufeff{\n // mine\n "url": "http://x/*y*/", /* two\n lines */ "list": ["a,]",], }';
  assert.deepEqual(readVendorSettings(written(text)), { url: 'http://x/*y*/', list: ['a,]'] });
});

test('a broken file is named with its reason; one that is absent or empty is not broken', () => {
  const broken = written('{"provider": ');
  assert.match(
    brokenSettings(['/nowhere/x.json', broken]) ?? '',
    /^its settings in \S+ cannot be read: correct them \(.+\)$/,
  );
  assert.equal(brokenSettings(['/nowhere/x.json', written(''), written('{}')]), null);
  assert.deepEqual(readVendorSettings(broken), {});
});
