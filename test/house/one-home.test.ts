import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { exportsOf, importsOf } from './modules.ts';
import { isTest, type SourceFile, sourceFile, sourceFiles } from './source-file.ts';

// One word a thing: a reader who looks for an exported name finds one declaration of it.

/** Files that declare the name of something else again, with the reason. */
const FACES: readonly (readonly [path: string, reason: string])[] = [
  ['src/library.ts', 'the main export of the package loads what it names on demand, under the same name'],
];

interface Home {
  readonly path: string;
  readonly line: number;
}

function homesByName(files: readonly SourceFile[]): Map<string, readonly Home[]> {
  const homes = new Map<string, readonly Home[]>();
  for (const file of files) {
    if (isTest(file) || FACES.some(([path]) => path === file.path)) continue;
    const passedOn = importsOf(file).filter(({ isReExport }) => isReExport);
    const namesPassedOn = new Set(passedOn.flatMap(({ names }) => names ?? []));
    for (const { name, line } of exportsOf(file)) {
      if (namesPassedOn.has(name)) continue;
      homes.set(name, [...(homes.get(name) ?? []), { path: file.path, line }]);
    }
  }
  return homes;
}

function homonyms(files: readonly SourceFile[]): Finding[] {
  return [...homesByName(files)].flatMap(([name, homes]) =>
    homes.slice(1).map(({ path, line }) => ({
      file: path,
      line,
      what: `${name} is exported by ${homes[0]?.path}, too: merge them if they are the same, else give one its own name`,
    })),
  );
}

test('an exported name has one home', () => {
  assertNone(homonyms(sourceFiles('src')));
});

test('planted: a name that two files export is found', () => {
  const files = [
    sourceFile('src/orders/a.ts', 'export function runTask() {}'),
    sourceFile('src/cli/order/b.ts', '\nexport const runTask = 1;'),
    sourceFile('src/protocols/public.ts', "export { runTask } from '../orders/a.ts';"),
    sourceFile('src/library.ts', 'export async function runTask() {}'),
  ];
  assertFound(homonyms(files), 2, /src\/orders\/a\.ts, too/);
  assertNone(homonyms(files.filter(({ path }) => path !== 'src/cli/order/b.ts')));
});
