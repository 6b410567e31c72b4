import { isBuiltin } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { isWithin } from '../../domain/work/path-text.ts';
import { libraries, manifestFolder, mayShow, type ProgramPlaces } from './installed-folder.ts';
import { isFile, isFolder, readFileHead, realPath } from './look-at-file.ts';

const PROGRAM_IMPORTS_MAX = 500;
const JAVASCRIPT = /\.[cm]?[jt]sx?$/;
const IMPORT = /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\(|\bnew URL\s*\()\s*['"]([^'"\n]+)['"]/g;
const PYTHON_IMPORT = /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([\w., \t]+))/gm;

/**
 * The code that a script of its own imports: files below its folder or its package, and the node_modules of the packages
 * that it names. Data that it reads beside itself is not found here: the agent's setting `files` names it.
 */
export function scriptImports(real: string, places: ProgramPlaces): readonly string[] {
  const text = readFileHead(real) ?? '';
  const interpreter = /^#!.*\b(node|bun|deno|tsx|python)/.exec(text)?.[1];
  if (extname(real) === '.py' || interpreter === 'python') return [...pythonFiles(real), ...libraries(real)];
  return JAVASCRIPT.test(real) || interpreter !== undefined ? javascriptFiles(real, places) : [];
}

function javascriptFiles(real: string, places: ProgramPlaces): readonly string[] {
  const manifest = manifestFolder(real);
  const base = manifest !== null && mayShow(manifest, { ...places, cwd: null }) ? manifest : dirname(real);
  const shown = new Set<string>();
  const waiting = [real];
  for (let file = waiting.pop(); file !== undefined && shown.size < PROGRAM_IMPORTS_MAX; file = waiting.pop()) {
    for (const [, name = ''] of (readFileHead(file) ?? '').matchAll(IMPORT)) {
      const found = name.startsWith('.')
        ? importedFile(join(dirname(file), name), base)
        : modulesFor(name, file, places);
      if (found === null || shown.has(found)) continue;
      shown.add(found);
      if (JAVASCRIPT.test(found)) waiting.push(found);
    }
  }
  // Node reads from it whether a .js file is a module.
  if (manifest !== null) shown.add(join(manifest, 'package.json'));
  return [...shown];
}

const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '.json', '/index.js', '/index.ts'];

function importedFile(named: string, base: string): string | null {
  const file = ENDINGS.map((ending) => `${named}${ending}`).find(isFile);
  const real = file === undefined ? null : realPath(file);
  return real !== null && isWithin(base, real) ? real : null;
}

/** The nearest node_modules with the package; packages import one another, so it is shown as a whole. */
function modulesFor(name: string, file: string, places: ProgramPlaces): string | null {
  if (isBuiltin(name) || !/^(@[\w.-]+\/)?[\w.-]+(\/|$)/.test(name)) return null;
  const packageName = name.split('/', name.startsWith('@') ? 2 : 1).join('/');
  for (let folder = dirname(file); folder !== '/'; folder = dirname(folder)) {
    const modules = join(folder, 'node_modules');
    if (isFolder(join(modules, packageName))) return mayShow(modules, { ...places, cwd: null }) ? modules : null;
  }
  return null;
}

/** Modules and packages in the folder of a Python script. */
function pythonFiles(real: string): readonly string[] {
  const shown = new Set<string>();
  const waiting = [real];
  for (let file = waiting.pop(); file !== undefined && shown.size < PROGRAM_IMPORTS_MAX; file = waiting.pop()) {
    for (const [, from, names = ''] of (readFileHead(file) ?? '').matchAll(PYTHON_IMPORT)) {
      for (const name of (from ?? names).split(',')) {
        const [first = ''] = name.trim().replace(/^\.+/, '').split(/[.\s]/);
        const module = join(dirname(real), `${first}.py`);
        const folder = join(dirname(real), first);
        if (first !== '' && isFile(join(folder, '__init__.py'))) shown.add(folder);
        else if (first !== '' && isFile(module) && !shown.has(module) && realPath(module) === module) {
          shown.add(module);
          waiting.push(module);
        }
      }
    }
  }
  return [...shown];
}
