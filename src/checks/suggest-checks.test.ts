import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { isRefusal } from '../domain/refusal.ts';
import { splitCommand } from '../domain/words/split-command.ts';
import { suggestChecks } from './suggest-checks.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-suggest-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SCRIPTS = { scripts: { lint: 'x', test: 'x', build: 'x', typecheck: 'x' } };

/** Files → commands. */
const TABLE: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, readonly string[]]> = [
  ['nothing', {}, []],
  ['scripts', { 'package.json': JSON.stringify(SCRIPTS) }, ['npm test', 'npm run typecheck', 'npm run lint']],
  ['npm init', { 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' }, []],
  ['pnpm', { 'package.json': '{"scripts":{"test":"x"},"packageManager":"pnpm@9.1.0"}' }, ['pnpm test']],
  [
    'a lock of yarn',
    { 'package.json': '{"scripts":{"test":"x","lint":"x"}}', 'yarn.lock': '' },
    ['yarn test', 'yarn run lint'],
  ],
  ['bun', { 'package.json': '{"scripts":{"test":"x"}}', 'bun.lock': '' }, ['bun run test']],
  ['a strange manager', { 'package.json': '{"scripts":{"test":"x"},"packageManager":"rm -rf /@1"}' }, ['npm test']],
  ['a broken package', { 'package.json': '{"scripts":' }, []],
  ['scripts that are none', { 'package.json': '{"scripts":["test"]}' }, []],
  ['make test', { Makefile: 'all:\n\ttrue\ntest: all\n\ttrue\n' }, ['make test']],
  ['make check', { GNUmakefile: 'check :\n\ttrue\n', Makefile: 'test:\n' }, ['make check']],
  ['a variable of make', { Makefile: 'test := x\nlatest:\n\t test:\n' }, []],
  ['pytest in pyproject', { 'pyproject.toml': '[tool.pytest.ini_options]\n' }, ['pytest']],
  ['pyproject without it', { 'pyproject.toml': '[project]\nname = "x"\n' }, []],
  ['pytest.ini', { 'pytest.ini': '' }, ['pytest']],
  ['cargo and go', { 'Cargo.toml': '', 'go.mod': 'module x\n' }, ['cargo test', 'go test ./...']],
  ['too large a file', { Makefile: `test:\n${'#'.repeat(1_100_000)}` }, []],
];

for (const [name, files, commands] of TABLE) {
  test(`${name} suggests ${commands.join(', ') || 'nothing'}`, () => {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    const suggested = suggestChecks(folder);
    assert.deepEqual(
      suggested.map(({ command }) => command),
      commands,
    );
    for (const { command, because } of suggested) {
      assert.ok(because in files);
      assert.ok(!isRefusal(splitCommand(command, { isShellAllowed: false })));
    }
  });
}

test('a folder or a pipe of such a name suggests nothing, and nobody waits on it', () => {
  mkdirSync(join(folder, 'package.json'));
  execFileSync('mkfifo', [join(folder, 'Makefile')]);
  assert.deepEqual(suggestChecks(folder), []);
});
