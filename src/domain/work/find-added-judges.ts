import { isTestFile } from './find-judging-files.ts';

/** Folders of installed programs and libraries, through which checks run. */
export const TOOL_FOLDERS = /(^|\/)(node_modules|\.venv|venv|vendor|\.tox|\.nox|\.bundle|site-packages)\//;
/** Written by installing, building and testing; nothing in them is run as a check. */
export const NOT_TOOLS =
  /(^|\/)(\.cache|\.vite|\.vitest|__pycache__)\/|(^|\/)(\.package-lock\.json|\.yarn-integrity|\.modules\.yaml)$/;

const CODE = /\.([cm]?[jt]sx?|py|rb|php|go|rs|java|kt|cs|swift|pl|lua|sh)$/;
/** The last module folder of a path, the package in it, and the rest. */
const IN_MODULES = /^(.*?(?:^|\/)node_modules\/)((?:@[^/]+\/)?[^/]+)(\/.*)?$/s;
const IN_BIN = /^((?:.*\/)?node_modules\/)\.bin\/([^/]+)$/;
const OTHER_TOOLS = /(?:^|\/)(?:\.venv|venv|vendor|\.tox|\.nox|\.bundle)\//;
/** Files of Python's libraries that it obeys without being asked, or by which a test runner finds its plugins. */
const OBEYED = /(^|\/)site-packages\/([^/]+\.pth|(site|user)customize\.py|[^/]+\/entry_points\.txt)$/;
/** A module of Node beside packages, which Node finds before a package of the same name. */
const MODULE_FILE = /\.([cm]?js|json|node)$/;

/** Modules that come with Python: a file of the same name in the folder that a check starts in takes their place. */
const PYTHON_MODULES = new Set(
  (
    'abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cmd code codecs codeop collections ' +
    'concurrent configparser contextlib contextvars copy copyreg csv ctypes dataclasses datetime dbm decimal difflib dis doctest ' +
    'email encodings enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext ' +
    'glob graphlib grp gzip hashlib heapq hmac html http imaplib imp importlib inspect io ipaddress itertools json keyword linecache ' +
    'locale logging lzma mailbox marshal math mimetypes mmap multiprocessing netrc numbers operator optparse os pathlib pdb pickle ' +
    'pkgutil platform plistlib posixpath pprint profile pstats pty pwd py_compile pydoc queue random re reprlib resource runpy sched ' +
    'secrets select selectors shelve shlex shutil signal site smtplib socket socketserver sqlite3 ssl stat statistics string struct ' +
    'subprocess symtable sysconfig syslog tarfile tempfile textwrap threading time timeit token tokenize tomllib trace traceback ' +
    'tracemalloc types typing unicodedata unittest urllib uuid venv warnings wave weakref xml xmlrpc zipfile zipimport zlib zoneinfo ' +
    'pytest _pytest nose nose2 pluggy coverage tox nox hypothesis'
  ).split(' '),
);
const PYTHON_MODULE = /^(\w+)(\/__init__|\/__main__)?(\.[\w-]+)?\.(py|pyc|so)$/;

/** Files that the work added. Paths start at the root of the repository. */
export interface AddedFiles {
  /** New files that git records, and new ones that it ignores. */
  readonly recorded: readonly string[];
  readonly ignored: readonly string[];
  /** Folders that a check starts in or names, each with a slash at its end; empty for the root. */
  readonly startFolders: readonly string[];
  /** Whether there were tests before the work: else nothing can be compared. */
  readonly hadTests: boolean;
  /** Whether a file was there before the work. */
  wasThere(path: string): boolean;
  /** Whether a program of this name is on the PATH of the checks. */
  isProgram(name: string): boolean;
}

/**
 * The new files that can decide whether the checks pass: tests, which a runner loads beside the earlier ones, and programs and
 * modules that take the place of earlier ones. A new package that nothing had before is no judge.
 */
export function findAddedJudges(added: AddedFiles): readonly string[] {
  const isJudge = (path: string) =>
    TOOL_FOLDERS.test(path)
      ? !NOT_TOOLS.test(path) && takesPlace(path, added)
      : (added.hadTests && isTestFile(path)) || isStandardModule(path, added);
  // Test runs write ignored files beside the tests: only code is loaded.
  return [...added.recorded.filter(isJudge), ...added.ignored.filter((path) => !isLeftByTests(path) && isJudge(path))];
}

function isLeftByTests(path: string): boolean {
  return NOT_TOOLS.test(path) || (!TOOL_FOLDERS.test(path) && !CODE.test(path));
}

function isStandardModule(path: string, { startFolders }: AddedFiles): boolean {
  return startFolders.some((folder) => {
    const [, name] = (path.startsWith(folder) && PYTHON_MODULE.exec(path.slice(folder.length))) || [];
    return name !== undefined && PYTHON_MODULES.has(name);
  });
}

function takesPlace(path: string, added: AddedFiles): boolean {
  const [, folder, program = ''] = IN_BIN.exec(path) ?? [];
  if (folder !== undefined) {
    return added.isProgram(program) || modulesAbove(folder).some((one) => added.wasThere(`${one}.bin/${program}`));
  }
  const other = programOfTools(path);
  if (other !== undefined) return added.isProgram(other);
  if (OBEYED.test(path)) return true;
  return isShadowingModule(path, added);
}

function isShadowingModule(path: string, { wasThere }: AddedFiles): boolean {
  const at = path.lastIndexOf('node_modules/');
  const [, folder, name = '', rest] = at < 0 ? [] : (lastModule(path, at) ?? []);
  if (folder === undefined) return false;
  if (rest === undefined && MODULE_FILE.test(name)) return true;
  const hadPackage = (modules: string) =>
    ['', '/package.json', '/index.js'].some((file) => wasThere(`${modules}${name}${file}`));
  return hadPackage(folder) || modulesAbove(folder).some(hadPackage);
}

function lastModule(path: string, at: number): readonly (string | undefined)[] | null {
  const found = IN_MODULES.exec(path.slice(at));
  return found && [found[0], path.slice(0, at) + (found[1] ?? ''), found[2], found[3]];
}

/** The module folders that Node and npm search after one: `a/node_modules/` of `a/b/node_modules/`. */
function modulesAbove(folder: string): readonly string[] {
  const parts = folder
    .replace(/node_modules\/$/, '')
    .split('/')
    .slice(0, -1);
  return parts
    .map((_, at) => parts.slice(0, at))
    .filter((above) => above.at(-1) !== 'node_modules')
    .map((above) => [...above, 'node_modules/'].join('/'));
}

/** The name of a program in a folder `bin` below one of installed tools. */
function programOfTools(path: string): string | undefined {
  const end = path.lastIndexOf('/');
  const folder = path.slice(0, end);
  if (!folder.endsWith('/bin') || !OTHER_TOOLS.test(folder.slice(0, -'bin'.length))) return undefined;
  return path.slice(end + 1) || undefined;
}
