import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  billOfMaterials,
  noticesText,
  packageFolderOf,
  readPackage,
  readPackages,
} from '../../scripts/third-party.mjs';

const root = mkdtempSync(join(tmpdir(), 'baton-third-party-'));
after(() => rmSync(root, { recursive: true }));

function install(path: string, manifest: object, files: Readonly<Record<string, string>> = { LICENSE: 'Some words.' }) {
  const folder = join(root, 'node_modules', path);
  mkdirSync(folder, { recursive: true });
  const name = path.split('node_modules/').at(-1);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', license: 'MIT', ...manifest }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

test('a module of a package, also of one inside of another, is traced to its folder; our own is not', () => {
  const cases: readonly (readonly [id: string, folder: string | null])[] = [
    ['/r/src/main.ts', null],
    ['/r/node_modules/zod/v4/core.js', '/r/node_modules/zod'],
    ['/r/node_modules/@a/b/x.js', '/r/node_modules/@a/b'],
    ['/r/node_modules/a/node_modules/@b/c/x.js', '/r/node_modules/a/node_modules/@b/c'],
    ['\0/r/node_modules/a/x.js?commonjs-proxy', '/r/node_modules/a'],
    ['\0vite/preload-helper.js', '/r/node_modules/vite'],
    ['\0rolldown/runtime.js', '/r/node_modules/rolldown'],
    ['virtual:own', null],
  ];
  for (const [id, folder] of cases) assert.equal(packageFolderOf(id, '/r'), folder, id);
});

test('a package without a licence, or without the text of an unusual one, stops the build', () => {
  assert.throws(() => readPackage(install('none', { license: undefined })), /none\/package.json names no licence/);
  assert.throws(() => readPackage(install('textless', { license: 'ISC' }, {})), /no text of its licence ISC/);
  const { text } = readPackage(install('short', { author: 'Ada Low <ada@x>' }, {}));
  assert.match(text, /^Copyright \(c\) Ada Low\n\nPermission is hereby granted/);
});

test('each version is listed once, with every licence and notice file, and depends on the version that Node finds', () => {
  const folders = [
    install('b', { version: '2.0.0', dependencies: { c: '^1' } }),
    install('b/node_modules/c', { version: '1.1.0', license: 'Apache-2.0' }, { LICENSE: 'L', 'NOTICE.txt': 'N' }),
    install('c', { version: '2.2.0', license: '(MIT OR ISC)' }),
    install('a/node_modules/b', { version: '2.0.0' }),
  ];
  const packages = readPackages(folders);
  assert.deepEqual(
    packages.map(({ name, version }) => `${name} ${version}`),
    ['b 2.0.0', 'c 1.1.0', 'c 2.2.0'],
  );
  const notices = noticesText(packages);
  assert.match(notices, /^- c 1\.1\.0: Apache-2\.0$/m);
  assert.match(notices, /^c 1\.1\.0\n\nL\n\nN$/m);
  const manifest = { name: 'own', version: '9.0.0', license: 'MIT' };
  const locked = { 'node_modules/c': { version: '2.2.0', integrity: 'sha512-AAEC' } };
  const bill = billOfMaterials(packages, { manifest, locked });
  const [b, inner, outer] = bill.components;
  assert.deepEqual([b?.purl, inner?.purl, outer?.purl], ['pkg:npm/b@2.0.0', 'pkg:npm/c@1.1.0', 'pkg:npm/c@2.2.0']);
  assert.deepEqual(
    [inner?.licenses, outer?.licenses],
    [[{ license: { id: 'Apache-2.0' } }], [{ expression: '(MIT OR ISC)' }]],
  );
  assert.deepEqual([inner?.hashes, outer?.hashes], [undefined, [{ alg: 'SHA-512', content: '000102' }]]);
  assert.deepEqual(bill.dependencies[1], { ref: 'pkg:npm/b@2.0.0', dependsOn: ['pkg:npm/c@1.1.0'] });
});
