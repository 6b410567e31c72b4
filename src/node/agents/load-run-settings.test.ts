import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestClock } from '../../../test/support/test-clock.ts';
import { SETTINGS_KEPT_MS } from '../../domain/limits.ts';
import type { RunSettings } from '../../orders/run-settings.ts';
import { keptSettings } from './load-run-settings.ts';

test('settings are read once, again when a file of theirs changes, and again after a moment', (t) => {
  const state = mkdtempSync(join(tmpdir(), 'baton-settings-'));
  t.after(() => rmSync(state, { recursive: true, force: true }));
  const folder = join(state, 'config.yaml');
  const clock = new TestClock();
  let reads = 0;
  let asked = 0;
  const settings = keptSettings({
    clock,
    sources: () => ({ mine: join(state, 'none.yaml'), team: null, folder, variables: {}, stateFolder: state }),
    programs: () => asked,
    load: () => {
      reads += 1;
      return { checks: [String(reads)] } as unknown as RunSettings;
    },
  });
  settings();
  assert.deepEqual([settings().checks, reads], [['1'], 1]);
  writeFileSync(folder, 'checks: [make]\n');
  assert.deepEqual([settings().checks, settings().checks, reads], [['2'], ['2'], 2]);
  writeFileSync(folder, 'checks: [mako]\n');
  assert.equal(settings().checks[0], '3');
  clock.step(SETTINGS_KEPT_MS + 1);
  assert.equal(settings().checks[0], '4');
  asked += 1;
  assert.deepEqual([settings().checks[0], settings().checks[0]], ['5', '5']);
});
