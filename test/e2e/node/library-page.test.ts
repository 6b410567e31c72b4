import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openNode } from '../../../src/node.ts';
import { scratchFolder } from '../../support/data-folder.ts';
import { ROOT, runBaton } from '../../support/run-baton.ts';

const PAGE = readFileSync(join(ROOT, 'docs/library.md'), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
const STRICT = { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true };

/** A project that has Baton in its node_modules, with each example as a module and as a CommonJS file. */
function foreignProject(): string {
  const folder = scratchFolder('library-page');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules', 'baton-agents'));
  symlinkSync(join(ROOT, 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
  const compilerOptions = { ...STRICT, module: 'nodenext', target: 'es2024', types: ['node'], outDir: 'out' };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts', '*.cts'] }));
  for (const [at, code] of EXAMPLES.entries()) {
    writeFileSync(join(folder, `example-${at}.mts`), code);
    writeFileSync(join(folder, `example-${at}.cts`), insideFunction(code));
  }
  return folder;
}

/** CommonJS has no await outside of functions. */
function insideFunction(code: string): string {
  const lines = code.split('\n');
  const isImport = (line: string) => line.startsWith('import ');
  const body = lines.filter((line) => !isImport(line));
  return [...lines.filter(isImport), 'async function main() {', ...body, '}', 'void main();', ''].join('\n');
}

test('every example of docs/library.md compiles in a strict project, and prints the lines that its comments promise', async () => {
  assert.ok(EXAMPLES.length > 0);
  const folder = foreignProject();
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const compiled = await runBaton([compiler, '-p', folder], { program: process.execPath });
  assert.equal(compiled.stdout, '', compiled.stderr);
  for (const [at, code] of EXAMPLES.entries()) {
    const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
    assert.ok(promised.length > 0);
    for (const form of ['mjs', 'cjs']) {
      const run = await runBaton([join(folder, 'out', `example-${at}.${form}`)], { program: process.execPath });
      assert.deepEqual(run.stdout.trimEnd().split('\n'), promised, run.stderr);
    }
  }
});

for (const entry of ['baton-agents', 'baton-agents/protocols']) {
  test(`every export of ${entry} stands in docs/library.md`, async () => {
    const code = `console.log(Object.keys(await import('${entry}')).join('\\n'))`;
    const { stdout } = await runBaton(['--input-type=module', '-e', code], { program: process.execPath });
    for (const name of stdout.trimEnd().split('\n')) assert.ok(PAGE.includes(`\`${name}`), name);
  });
}

test('a node opens with a data folder alone', async () => {
  const node = await openNode({ dataFolder: join(scratchFolder('library-page'), 'data') });
  assert.ok('counts' in (await node.status()));
  await node.close();
});
