import { test } from 'node:test';
import { analyse } from 'scslre';
import { allExpressions, constructions, type Expression, literals } from './expressions.ts';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { isTest, sourceFile, sourceFiles } from './source-file.ts';

/** Expressions that are built while the program runs: nobody outside of it may write a part of one that repeats. */
const BUILT_LATE: Readonly<Record<string, string>> = {
  'src/agents/process/secret-mask.ts': 'alternatives that are plain text',
  'src/agents/sandbox/bubblewrap/resource-group.ts': 'the name of a cgroup controller, in a text of the kernel',
  'src/checks/suggest-checks.ts': 'one of two names',
  'src/protocols/registered-schemas.ts': 'compiled and never run: it tells whether an operator wrote an expression',
};

function backtracking(expressions: readonly Expression[]): readonly Finding[] {
  return expressions.flatMap(({ file, line, source, flags }) =>
    analyse({ source, flags }).reports.map(({ character }) => ({
      file,
      line,
      what:
        `takes more than linear time for many of ${character.literal.source}: anchor it, bound it, or read the text by hand ` +
        '(src/domain/words/without-end.ts)',
    })),
  );
}

function builtLate(expressions: readonly Expression[]): readonly Finding[] {
  const known = new Set(expressions.map(({ file, line }) => `${file}:${line}`));
  const files = sourceFiles('src', 'dashboard').filter((file) => !isTest(file));
  return files
    .flatMap(constructions)
    .filter(({ file, line }) => !known.has(`${file}:${line}`) && !(file in BUILT_LATE))
    .map((place) => ({ ...place, what: 'builds an expression in a function: build it once, where a test can see it' }));
}

const expressions = allExpressions();

test('no expression of the source backtracks', () => assertNone(backtracking(expressions)));

test('every expression is a literal, or built when its module is loaded', () => assertNone(builtLate(expressions)));

test('a backtracking expression is found', () => {
  const planted = (text: string) => backtracking(literals(sourceFile('src/a.ts', `\nconst a = ${text};`)));
  assertFound(planted('/^(a+)+$/'), 2, /many of a/);
  assertFound(planted('/\\/+$/'), 2, /many of/);
  assertFound(planted('/<b>\\s*(.+?)\\s*<\\/b>/'), 2, /many of/);
  assertNone(planted('/^[a-z]+\\/$/'));
});
