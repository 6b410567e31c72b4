import { test } from 'node:test';
import { assertFound, assertNone, describeFinding, type Finding } from './finding.ts';
import { functionsOf } from './functions.ts';
import { importsOf } from './modules.ts';
import { isTest, readText, type SourceFile, sourceFile, sourceFiles } from './source-file.ts';

interface Sizes {
  readonly fileLines: number;
  readonly functionLines: number;
  readonly imports: number;
  readonly parameters: number;
}

const HARD: Sizes = { fileLines: 300, functionLines: 60, imports: 16, parameters: 3 };
const SOFT: Sizes = { fileLines: 200, functionLines: 30, imports: 12, parameters: 3 };
const FREE_TO_IMPORT = ['src/node.ts', 'src/library.ts', 'src/protocols/public.ts'];
const PAGES = { 'README.md': 150, 'ARCHITECTURE.md': 200 };
const SOFT_SHOWN_MAX = 5;

const files = sourceFiles('src', 'dashboard').filter((file) => !isTest(file));

function countLines(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

function lengthFinding({ path, text }: SourceFile, linesMax: number): Finding[] {
  const lines = countLines(text);
  const what = `${lines} lines (at most ${linesMax}): split it by what it is about`;
  return lines > linesMax ? [{ file: path, line: 1, what }] : [];
}

function sizeFindings(all: readonly SourceFile[], limit: Sizes): Finding[] {
  return all.flatMap((file) => {
    const findings: Finding[] = lengthFinding(file, limit.fileLines);
    const add = (line: number, what: string) => findings.push({ file: file.path, line, what });
    // A type says what a thing is; only code that a file calls makes it do more than one thing.
    const called = importsOf(file).filter(({ isType }) => !isType);
    const imports = new Set(called.map((each) => each.from)).size;
    if (imports > limit.imports && !FREE_TO_IMPORT.includes(file.path)) {
      add(1, `${imports} imports (at most ${limit.imports}): it does more than one thing`);
    }
    for (const each of functionsOf(file.code)) {
      if (each.lines > limit.functionLines) {
        add(each.line, `${each.name} has ${each.lines} lines (at most ${limit.functionLines}): name its steps`);
      }
      if (each.parameters > limit.parameters) {
        add(
          each.line,
          `${each.name} takes ${each.parameters} parameters (at most ${limit.parameters}): pass one object`,
        );
      }
    }
    return findings;
  });
}

function pageFinding(file: string, text: string, linesMax: number): Finding[] {
  const lines = countLines(text);
  if (lines <= linesMax) return [];
  return [{ file, line: linesMax + 1, what: `${lines} lines (at most ${linesMax}): move detail into docs/` }];
}

test('files, functions, imports and parameters stay within the hard sizes', () => {
  assertNone(sizeFindings(files, HARD));
});

test('tests and their support stay within the size of a file', () => {
  const tested = sourceFiles('src', 'dashboard', 'test', 'bench').filter(
    ({ path }) => !files.some((file) => file.path === path),
  );
  assertNone(tested.flatMap((file) => lengthFinding(file, HARD.fileLines)));
});

test('what is above the soft sizes is told', (context) => {
  const findings = sizeFindings(files, SOFT);
  if (findings.length === 0) return;
  const shown = findings.slice(0, SOFT_SHOWN_MAX).map((each) => `\n    ${describeFinding(each)}`);
  context.diagnostic(`${findings.length} above the soft sizes (200 lines, 30 a function, 12 imports)${shown.join('')}`);
});

for (const [page, linesMax] of Object.entries(PAGES)) {
  const text = readText(page);
  const skip = text === undefined ? `${page} is not written yet` : false;
  test(`${page} has at most ${linesMax} lines`, { skip }, () => assertNone(pageFinding(page, text ?? '', linesMax)));
}

test('planted: each size that is passed is found', () => {
  const lines = (count: number) => Array.from({ length: count }, () => 'x();').join('\n');
  const planted = (text: string) => sizeFindings([sourceFile('src/domain/a.ts', text)], HARD);
  assertFound(planted(lines(301)), 1, /301 lines/);
  assertFound(planted(`\nexport function long(): void {\n${lines(60)}\n}`), 2, /long has 62 lines/);
  assertFound(planted(`const long = (a: string) => {\n${lines(60)}\n};`), 1, /long has 62 lines/);
  assertFound(planted('function wide(a: A, b: B<C, D>, c: E, d: F): void {}'), 1, /wide takes 4 parameters/);
  assertNone(planted('function narrow(a: A, b: B<C, D>, { c, d }: { c: C; d: D }): void {}'));
  const imports = Array.from({ length: 17 }, (_, at) => `import { a${at} } from './a${at}.ts';`).join('\n');
  assertFound(planted(imports), 1, /17 imports/);
  assertNone(planted(imports.replaceAll('import', 'import type')));
  assertFound(pageFinding('README.md', lines(151), 150), 151, /151 lines/);
});
