import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { exportsOf, importsOf, reachableFrom, targetOf } from './modules.ts';
import { isTest, type SourceFile, sourceFile, sourceFiles } from './source-file.ts';

const ENTRIES = [
  'src/main.ts',
  'src/library.ts',
  'src/protocols/public.ts',
  'src/agents/drivers/demo/demo-agent.ts',
  'src/agents/sandbox/network/bridge-program.ts',
];

/** Hold every number of the documents, also those whose server is not built yet. */
const LIMITS = [
  'src/domain/limits.ts',
  'src/domain/federation/message-limits.ts',
  'src/domain/federation/federation-limits.ts',
];

const files = sourceFiles('src', 'test', 'bench', 'dashboard');
const missing = ENTRIES.filter((entry) => !files.some((file) => file.path === entry));
const skip = missing.length > 0 ? `${missing.join(', ')} not written yet` : false;

function isOwn(file: SourceFile): boolean {
  return file.path.startsWith('src/') && !isTest(file);
}

/** A seam that only tests fill, such as the twin of a clock, lives on through test/support. */
function starts(all: readonly SourceFile[]): string[] {
  return [...ENTRIES, ...all.filter((file) => file.path.startsWith('test/support/')).map((file) => file.path)];
}

function deadFileFindings(all: readonly SourceFile[]): Finding[] {
  const reached = reachableFrom(starts(all), all);
  return all
    .filter((file) => isOwn(file) && !reached.has(file.path))
    .map((file) => ({
      file: file.path,
      line: 1,
      what: `nothing reaches it from ${ENTRIES.join(', ')}: use it or remove it`,
    }));
}

function mentions(file: SourceFile, name: string): number {
  return file.code.filter((token) => token.kind === 'word' && token.text === name).length;
}

/** The files that import a name: other source, tests, or none. */
function usersOf(name: string, of: SourceFile, all: readonly SourceFile[]): SourceFile[] {
  return all.filter((file) =>
    importsOf(file).some(({ from, names }) => {
      if (targetOf(file, from) !== of.path) return false;
      return names ? names.includes(name) : mentions(file, name) > 0;
    }),
  );
}

function importersByTarget(all: readonly SourceFile[]): Map<string, SourceFile[]> {
  const importers = new Map<string, SourceFile[]>();
  for (const file of all) {
    for (const { from } of importsOf(file)) {
      const target = targetOf(file, from);
      if (target) importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  }
  return importers;
}

function deadExportFindings(all: readonly SourceFile[]): Finding[] {
  const importers = importersByTarget(all);
  return all
    .filter((file) => isOwn(file) && !ENTRIES.includes(file.path) && !LIMITS.includes(file.path))
    .flatMap((file) =>
      exportsOf(file).flatMap(({ name, line, isType }) => {
        const users = usersOf(name, file, importers.get(file.path) ?? []);
        if (users.some((user) => isOwn(user) || user.path.startsWith('dashboard/'))) return [];
        // A type that its own file uses names a part of a signature that others call.
        if (isType && mentions(file, name) > 1) return [];
        const isSupported = users.some((user) => user.path.startsWith('test/support/'));
        if (isSupported || (users.length > 0 && mentions(file, name) > 1)) return [];
        const what =
          users.length > 0
            ? 'only tests use it: remove it with its tests, or use it'
            : 'nobody imports it: drop the export or the code';
        return [{ file: file.path, line, what: `${name}: ${what}` }];
      }),
    );
}

test('every source file is reached from an entry point', { skip }, () => {
  assertNone(deadFileFindings(files));
});

test('every exported name is used by another source file', { skip }, () => {
  assertNone(deadExportFindings(files));
});

test('planted: a file that nobody imports and a name that nobody uses are found', () => {
  const main = sourceFile(
    'src/main.ts',
    "import { used } from './used.ts';\nused();\nconst m = await import('./lazy.ts'); m.late();",
  );
  const used = sourceFile(
    'src/used.ts',
    'export const used = () => inner;\nexport const inner = 1;\nexport type Unused = string;',
  );
  const lazy = sourceFile('src/lazy.ts', 'export function late() {}\nexport function never() {}');
  const lonely = sourceFile('src/lonely.ts', 'export const lonely = 1;');
  const tested = sourceFile(
    'test/a.test.ts',
    "import { inner } from '../src/used.ts';\nimport { lonely } from '../src/lonely.ts';",
  );
  const all = [main, used, lazy, lonely, tested];
  const dead = deadExportFindings(all);
  assertFound(
    deadFileFindings(all).filter((finding) => finding.file === 'src/lonely.ts'),
    1,
    /nothing reaches it/,
  );
  assertFound(dead, 3, /Unused: nobody imports it/);
  assertFound(dead, 2, /never: nobody imports it/);
  assertFound(dead, 1, /lonely: only tests use it/);
  assertNone(dead.filter(({ what }) => /^(used|inner|late):/.test(what)));
});
