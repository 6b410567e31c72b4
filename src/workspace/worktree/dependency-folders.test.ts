import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../../../test/support/test-repository.ts';
import { dependencyFolders } from './dependency-folders.ts';

/** A folder with these files; a name that ends in a slash is a folder. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const root = testFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(name.endsWith('/') ? join(root, name) : dirname(join(root, name)), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(join(root, name), text);
  }
  return root;
}

const DEPENDS = JSON.stringify({ dependencies: { a: '1' } });

const CASES: Readonly<Record<string, readonly [files: Readonly<Record<string, string>>, found: readonly string[]]>> = {
  'nothing at all': [{}, []],
  'a package without dependencies': [{ 'package.json': '{}' }, []],
  'a package that cannot be read': [{ 'package.json': '{' }, []],
  'a package with dependencies': [{ 'package.json': DEPENDS }, ['node_modules missing: npm install']],
  'a lock file': [{ 'package.json': DEPENDS, 'package-lock.json': '' }, ['node_modules missing: npm ci']],
  'the lock file of pnpm': [
    { 'package.json': DEPENDS, 'pnpm-lock.yaml': '', 'node_modules/': '' },
    ['node_modules there: pnpm install --frozen-lockfile'],
  ],
  'workspaces of npm': [
    {
      'package.json': JSON.stringify({ workspaces: ['packages/*', '../out', 'one'] }),
      'node_modules/': '',
      'packages/a/node_modules/': '',
      'packages/b/': '',
      'one/node_modules/': '',
    },
    ['node_modules there: npm install', 'one/node_modules there: npm ci', 'packages/a/node_modules there: npm ci'],
  ],
  'workspaces of pnpm': [
    {
      'package.json': '{}',
      'pnpm-workspace.yaml': 'packages:\n  # all\n  - \'apps/**\'\n  - "!apps/old"\n\ncatalog:\n  - x\n',
      'apps/web/node_modules/': '',
      'apps/web/node_modules/deep/node_modules/': '',
    },
    ['apps/web/node_modules there: npm ci'],
  ],
  'packages without a workspace': [
    {
      'backend/requirements.txt': '',
      'backend/.venv/': '',
      'frontend/package.json': DEPENDS,
      'frontend/package-lock.json': '',
      'frontend/node_modules/': '',
      'frontend/node_modules/deep/package.json': DEPENDS,
      'frontend/node_modules/deep/node_modules/': '',
      'services/mail/package.json': DEPENDS,
      'services/mail/node_modules/': '',
      'services/bare/package.json': DEPENDS,
    },
    [
      'backend/.venv there: python3 -m venv .venv',
      'frontend/node_modules there: npm ci',
      'services/mail/node_modules there: npm install',
    ],
  ],
  'an environment of Python': [{ 'pyproject.toml': '', '.venv/': '' }, ['.venv there: python3 -m venv .venv']],
  'a lock file of uv': [{ 'uv.lock': '' }, ['.venv missing: uv sync']],
  'Python without an environment': [{ 'requirements.txt': '' }, []],
  PHP: [{ 'composer.json': '' }, ['vendor missing: composer install']],
  'Go that vendors': [{ 'go.mod': '', 'vendor/': '' }, ['vendor there: go mod vendor']],
  'Go that does not': [{ 'go.mod': '' }, []],
  'folders without a manifest': [{ 'node_modules/': '', '.venv/': '', 'vendor/': '' }, []],
};

for (const [what, [files, found]] of Object.entries(CASES))
  test(`dependencies of ${what}`, () => {
    const folders = dependencyFolders(folderWith(files));
    assert.deepEqual(
      folders.map(({ path, isThere, install }) => `${path} ${isThere ? 'there' : 'missing'}: ${install}`),
      found,
    );
  });

test('a link in the place of a folder of dependencies is not followed', () => {
  const root = folderWith({ 'package.json': DEPENDS });
  symlinkSync('/usr', join(root, 'node_modules'));
  assert.deepEqual(
    dependencyFolders(root).map(({ isThere }) => isThere),
    [false],
  );
});
