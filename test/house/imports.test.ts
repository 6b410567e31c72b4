import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { IMPLEMENTATIONS, LAYERS, layerOf, PACKAGE_HOMES, PURE_LAYERS } from './layers.ts';
import { exportsOf, importsOf, targetOf } from './modules.ts';
import { isTest, type SourceFile, sourceFile, sourceFiles } from './source-file.ts';

const PUBLIC_SURFACES = ['src/library.ts', 'src/protocols/public.ts'];
const files = sourceFiles('src').filter((file) => !isTest(file));

function wrongDirection(file: SourceFile, target: string): string | undefined {
  const own = layerOf(file.path) ?? '';
  const other = layerOf(target) ?? '';
  const allowed = LAYERS[own];
  if (!target.startsWith('src/')) return `imports ${target}: src imports nothing outside of src`;
  if (!allowed) return `src/${own} has no place among the layers: add it to test/house/layers.ts and ARCHITECTURE.md`;
  if (own !== other && !allowed.includes(other)) {
    return `${own} may not import ${other}: it may import ${allowed.join(', ') || 'nothing'}; move the code down or hand the value in`;
  }
  const home = IMPLEMENTATIONS.find((folder) => target.startsWith(folder));
  if (home && own !== 'node' && !file.path.startsWith(home)) {
    return `${target} is an implementation: only src/node.ts names it; import the contract above it`;
  }
  return undefined;
}

function wrongPackage(file: SourceFile, from: string): string | undefined {
  if (from.startsWith('node:')) {
    return PURE_LAYERS.includes(layerOf(file.path) ?? '')
      ? `${from} in pure code: hand the value in instead`
      : undefined;
  }
  const name = from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');
  const homes = PACKAGE_HOMES[name];
  if (!homes) return `package ${name} has no home: name one in test/house/layers.ts`;
  if (homes.some((home) => file.path.startsWith(home))) return undefined;
  return `package ${name} is imported in ${homes.join(', ')} only`;
}

function directionFindings(all: readonly SourceFile[]): Finding[] {
  return all.flatMap((file) =>
    importsOf(file).flatMap(({ from, line }) => {
      const target = targetOf(file, from);
      const what = target ? wrongDirection(file, target) : wrongPackage(file, from);
      return what ? [{ file: file.path, line, what }] : [];
    }),
  );
}

function cycleFindings(all: readonly SourceFile[]): Finding[] {
  const byPath = new Map(all.map((file) => [file.path, file]));
  const done = new Set<string>();
  const findings: Finding[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const file = byPath.get(path);
    if (!file || done.has(path)) return;
    for (const { from, line } of importsOf(file)) {
      const target = targetOf(file, from);
      if (!target) continue;
      const start = [...trail, path].indexOf(target);
      if (start < 0) visit(target, [...trail, path]);
      else {
        const circle = [...trail, path].slice(start).concat(target).join(' → ');
        findings.push({
          file: path,
          line,
          what: `imports in a circle: ${circle}; move what both need into a third file`,
        });
      }
    }
    done.add(path);
  };
  for (const { path } of all) visit(path, []);
  return findings;
}

function barrelFindings(all: readonly SourceFile[]): Finding[] {
  return all.flatMap((file) => {
    if (PUBLIC_SURFACES.includes(file.path)) return [];
    const passedOn = importsOf(file).filter((each) => each.isReExport);
    const [first] = passedOn;
    if (!first) return [];
    const takesAll = passedOn.find((each) => each.names === undefined);
    const own = exportsOf(file).length - passedOn.reduce((sum, each) => sum + (each.names?.length ?? 0), 0);
    if (!takesAll && own > 0) return [];
    const { line } = takesAll ?? first;
    return [{ file: file.path, line, what: 'only passes names on (a barrel): import from the file that has them' }];
  });
}

/** The files of src/api with the types of calls, requests and answers. */
const CONTRACTS = /^src\/api\/([a-z]+\/)?([\w-]+-)?(contract|task-view|requests|calls|node-client)\.ts$/;
/** The words that terminal and dashboard share. */
const SHARED_WORDS: readonly string[] = ['src/domain/trace/event-sentence.ts', 'src/domain/words/verdict-words.ts'];

function isTypeOnly(file: SourceFile, line: number): boolean {
  return /^\s*import type\b/.test(file.text.split('\n')[line - 1] ?? '');
}

function reachFindings(all: readonly SourceFile[]): Finding[] {
  return all.flatMap((file) =>
    importsOf(file).flatMap(({ from, line }) => {
      const target = targetOf(file, from);
      if (!target || SHARED_WORDS.includes(target) || (CONTRACTS.test(target) && isTypeOnly(file, line))) return [];
      const what = `dashboard code imports ${target}: of src it may import types of the contracts in src/api, and ${SHARED_WORDS.join(', ')}`;
      return target.startsWith('src/') ? [{ file: file.path, line, what }] : [];
    }),
  );
}

test('each folder of src imports only what stands below it', () => {
  assertNone(directionFindings(files));
});

test('no file imports itself by way of others', () => {
  assertNone(cycleFindings(files));
});

test('no file only passes on names of others', () => {
  assertNone(barrelFindings(files));
});

test('the dashboard knows the contract of the api, the words of events and verdicts, and nothing else of src', () => {
  assertNone(reachFindings(sourceFiles('dashboard')));
});

test('planted: each wrong import is found', () => {
  const planted = (path: string, text: string) => directionFindings([sourceFile(path, text)]);
  assertFound(
    planted('src/domain/a.ts', "\nimport { b } from '../protocols/b.ts';"),
    2,
    /domain may not import protocols/,
  );
  assertFound(planted('src/domain/a.ts', "import { z } from 'zod';"), 1, /zod is imported in/);
  assertFound(planted('src/protocols/a.ts', "import fs from 'node:fs';"), 1, /pure code/);
  assertFound(planted('src/protocols/aop/a.ts', "import { parse } from 'yaml';"), 1, /yaml is imported in/);
  assertFound(planted('src/ledger/a.ts', "import type { T } from '../tree/t.ts';"), 1, /ledger may not import tree/);
  assertFound(planted('src/api/a.ts', "const x = await import('../cli/run.ts');"), 1, /api may not import cli/);
  assertFound(
    planted('src/dispatch/a.ts', "import { c } from '../agents/drivers/codex/c.ts';"),
    1,
    /only src\/node.ts/,
  );
  assertFound(planted('src/cli/a.ts', "import x from 'left-pad';"), 1, /has no home/);
  assertFound(planted('src/cli/a.ts', "import x from '../../test/support/x.ts';"), 1, /nothing outside of src/);
  assertNone(planted('src/node.ts', "import { c } from './agents/drivers/codex/c.ts';"));
});

test('planted: a circle, a barrel and a reach into src are found', () => {
  const a = sourceFile('src/domain/a.ts', "import { b } from './b.ts';\nexport const c = b;");
  const b = sourceFile('src/domain/b.ts', "import type { c } from './a.ts';\nexport const b = 1;");
  assertFound(cycleFindings([a, b]), 1, /circle: src\/domain\/a.ts → src\/domain\/b.ts → src\/domain\/a.ts/);
  assertFound(barrelFindings([sourceFile('src/domain/all.ts', "export * from './a.ts';")]), 1, /barrel/);
  assertFound(barrelFindings([sourceFile('src/domain/all.ts', "export { c } from './a.ts';")]), 1, /barrel/);
  assertFound(
    reachFindings([sourceFile('dashboard/a.ts', "import { c } from '../src/node.ts';")]),
    1,
    /dashboard code/,
  );
  assertFound(
    reachFindings([sourceFile('dashboard/a.ts', "import { c } from '../src/api/contract.ts';")]),
    1,
    /dashboard code/,
  );
  assertNone(
    reachFindings([sourceFile('dashboard/a.ts', "import type { c } from '../src/api/overview/overview-contract.ts';")]),
  );
});
