import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMANDS } from '../command-list.ts';
import { foldHelp } from './fold-help.ts';
import { commandHelp, familyHelp, overview } from './help.ts';

const PAGES: (readonly [name: string, text: () => Promise<string>])[] = [['', async () => overview('1.0.0')]];
for (const entry of COMMANDS) {
  if (!('verbs' in entry)) PAGES.push([entry.name, async () => commandHelp(await entry.load())]);
  else {
    PAGES.push([entry.name, async () => familyHelp(entry)]);
    for (const verb of entry.verbs)
      PAGES.push([`${entry.name} ${verb.name}`, async () => commandHelp(await verb.load())]);
  }
}

for (const [name, text] of PAGES) {
  test(`baton ${name} --help fits into 80 columns, and is the same words`, async () => {
    const page = await text();
    const folded = foldHelp(page, 80);
    const words = (all: string) => all.split(/\s+/);
    assert.deepEqual(words(folded), words(page));
    const lines = folded.split('\n');
    // An example is to be pasted.
    const last = lines.indexOf('Examples');
    assert.deepEqual(
      lines.slice(0, last).filter((line) => line.length > 80),
      [],
    );
    assert.equal(foldHelp(page, Number.POSITIVE_INFINITY), page);
  });
}
