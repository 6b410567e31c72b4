import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { signReceipt } from '../../../src/checks/receipt.ts';
import { openNodeKey } from '../../../src/platform/node-key.ts';
import { linesOf, runBaton } from '../../support/run-baton.ts';
import { receiptFacts } from '../../support/work/a-receipt.ts';

let folder = '';
let keyId = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-receipt-'));
  mkdirSync(join(folder, 'here'));
  const key = openNodeKey(folder);
  keyId = key.keyId;
  writeFileSync(join(folder, 'here/receipt.json'), signReceipt(receiptFacts(), key));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

async function verify(...args: readonly string[]) {
  const run = await runBaton(['receipt', 'verify', ...args], {
    folder: join(folder, 'here'),
    environment: { HOME: folder, XDG_CONFIG_HOME: '' },
  });
  assert.deepEqual(
    readdirSync(join(folder, 'here')).filter((name) => !name.startsWith('receipt')),
    [],
    'a look creates nothing',
  );
  return run;
}

test('a receipt by a key that nobody knows is not valid: exit 3, with what it says', async () => {
  const human = await verify('receipt.json');
  assert.equal(human.status, 3, human.stderr);
  assert.match(human.stdout, /^unknown key: TASK-2026-02-09-057, by emma/);
  assert.match(human.stdout, /work {5}checked, sandboxed; the agent claimed: done\n {2}checks {3}1 passed, 0 failed/);
  assert.match(human.stdout, /files {4}1, not compared: \/work\/project is not on this machine/);
  assert.match(human.stdout, /signed {3}by a key that is neither yours nor known/);
  assert.ok(human.stderr.includes(`baton config set known_keys.NAME ${keyId} --mine`), human.stderr);
  const [value] = linesOf<Record<string, unknown>>(await verify('receipt.json', '--json'));
  assert.deepEqual([value?.['verdict'], value?.['signer'], value?.['staleFiles']], ['unknown_key', 'unknown', null]);
  assert.equal(value?.['keyId'], keyId);
  assert.equal(value?.['file'], 'receipt.json');
});

test('a key that the configuration names is known: exit 0', async () => {
  const environment = { HOME: folder, XDG_CONFIG_HOME: '' };
  const set = ['config', 'set', 'known_keys.anna', keyId, '--mine'];
  assert.equal((await runBaton(set, { folder: join(folder, 'here'), environment })).status, 0);
  const run = await verify('receipt.json');
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /^valid: TASK-2026-02-09-057/);
  assert.match(run.stdout, /signed {3}by anna, from known_keys/);
});

test('a data folder that came from elsewhere does not make its key known', async () => {
  mkdirSync(join(folder, 'here', '.baton'));
  writeFileSync(join(folder, 'here', '.baton', 'signers'), `${keyId}\n`);
  writeFileSync(join(folder, 'here', '.baton', 'config.yaml'), `known_keys: { me: ${keyId} }\n`);
  const run = await runBaton(['receipt', 'verify', 'receipt.json'], {
    folder: join(folder, 'here'),
    environment: { HOME: folder, XDG_CONFIG_HOME: '' },
  });
  assert.equal(run.status, 3, run.stdout);
});

test('a receipt that was changed is broken: exit 1, with the place', async () => {
  const text = readFileSync(join(folder, 'here/receipt.json'), 'utf8');
  writeFileSync(join(folder, 'here/receipt.json'), text.replace('1 check passed', '2 check passed'));
  const human = await verify('receipt.json');
  assert.equal(human.status, 1);
  assert.match(human.stdout, /^broken: receipt\.json: \/signature does not belong to this content/);
  const json = await verify('receipt.json', '--json');
  assert.equal(json.status, 1);
  const [value] = linesOf<Record<string, unknown>>(json);
  assert.deepEqual([value?.['verdict'], value?.['path']], ['broken', '/signature']);
  writeFileSync(join(folder, 'here/receipt.json'), Buffer.from([0x7b, 0xff, 0x7d]));
  assert.equal((await verify('receipt.json')).status, 1);
});

test('a file that cannot be read is refused: exit 2', async () => {
  for (const args of [['missing.json'], ['.'], [], ['receipt.json', 'receipt.json']]) {
    const run = await verify(...args, '--json');
    assert.equal(run.status, 2, args.join(' '));
    assert.equal(linesOf<{ verdict: string }>(run)[0]?.verdict, 'refused');
  }
});

test('help tells how it is called, with an example', async () => {
  const help = await verify('--help');
  assert.equal(help.status, 0);
  assert.match(help.stdout, /baton receipt verify FILE \| TASK/);
  assert.match((await runBaton(['receipt', '--help'])).stdout, /verify/);
});
