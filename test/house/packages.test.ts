import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionIn } from '../../scripts/agent-clis.mjs';
import { CHUNKS } from '../../scripts/bundle.mjs';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { projectPaths, readText } from './source-file.ts';

const DEPENDENCY_PAGE = 'docs/decisions/0003-dependencies.md';
const LOCK = 'package-lock.json';

/** Hosts that only serve packages. The caller's own, if npm told us, counts too. */
function registryHosts(): RegExp[] {
  const own = process.env['npm_config_registry'];
  const escaped = own ? new URL(own).host.replaceAll('.', '\\.') : undefined;
  const known = /\bregistry\.[a-z0-9-]+(\.[a-z0-9-]+)*\.(org|com|io|dev|net|cn)\b|\bnpm\.pkg\.[a-z]+\.com\b/;
  return escaped ? [known, new RegExp(escaped)] : [known];
}

function lineMatches(file: string, text: string, pattern: RegExp): Array<{ file: string; line: number }> {
  return text.split('\n').flatMap((content, at) => (pattern.test(content) ? [{ file, line: at + 1 }] : []));
}

function lockFindings(text: string): Finding[] {
  const resolved = lineMatches(LOCK, text, /"resolved": "(?!tools\/)/).map((place) => ({
    ...place,
    what: 'names where it was fetched: run npm install with the .npmrc of this project',
  }));
  const scripts = lineMatches(LOCK, text, /"hasInstallScript": true/).map((place) => ({
    ...place,
    what: 'a dependency with an install script: choose another one, nothing runs at install',
  }));
  return [...resolved, ...scripts];
}

function hostFindings(files: ReadonlyArray<readonly [string, string]>): Finding[] {
  return files.flatMap(([file, text]) =>
    registryHosts().flatMap((host) =>
      lineMatches(file, text, host).map((place) => ({
        ...place,
        what: 'names the host of a package registry: say npm',
      })),
    ),
  );
}

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

function undocumentedFindings(manifest: Manifest, page: string): Finding[] {
  const names = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies].flatMap((each) =>
    Object.keys(each ?? {}),
  );
  return names
    .filter((name) => !page.includes(`\`${name}\``))
    .map((name) => ({
      file: 'package.json',
      line: 1,
      what: `${name} has no line in ${DEPENDENCY_PAGE}: say what it is for`,
    }));
}

test('the lockfile names no host and no dependency runs anything at install', () => {
  assertNone(lockFindings(readText(LOCK) ?? ''));
});

test('no file names the host of a package registry', () => {
  assertNone(hostFindings(projectPaths().map((path) => [path, readText(path) ?? ''] as const)));
});

test('every dependency has a line that says what it is for', () => {
  const manifest: Manifest = JSON.parse(readText('package.json') ?? '{}');
  assertNone(undocumentedFindings(manifest, readText(DEPENDENCY_PAGE) ?? ''));
});

test('planted: hosts, install scripts and unexplained dependencies are found', () => {
  assertFound(lockFindings('{\n"resolved": "x"}'), 2, /where it was fetched/);
  assertFound(lockFindings('"hasInstallScript": true'), 1, /install script/);
  assertFound(
    hostFindings([['a.md', `\nsee ${['registry', 'example', 'org'].join('.')}`]]),
    2,
    /host of a package registry/,
  );
  assertFound(undocumentedFindings({ dependencies: { zod: '4' } }, '- `yaml`: front matter'), 1, /zod has no line/);
});

test('the newest version of a package is read beside the warnings of npm', () => {
  assert.equal(versionIn('npm warn Unknown user config "nodedir" 9.9.9 is old.\n2.1.326'), '2.1.326');
  assert.equal(versionIn('1.2.3-beta.1\nnpm notice'), '1.2.3-beta.1');
  assert.equal(versionIn('npm error code E404'), null);
});

test('every chunk of the build begins with modules that are there', () => {
  const paths = projectPaths();
  const missing = CHUNKS.flatMap(({ name, files }) =>
    files
      .map((file) => `src/${file}.ts`)
      .filter((path) => !paths.includes(path))
      .map((path) => ({ file: 'scripts/bundle.mjs', line: 1, what: `chunk ${name}: ${path} is not there` })),
  );
  assertNone(missing);
});
