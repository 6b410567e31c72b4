// Builds the dashboard into dist/dashboard/. Runs under the project's Node; build.mjs is the command.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from './set-up.mjs';
import { recordPackages } from './third-party.mjs';

export const DASHBOARD_INPUTS = ['dashboard', 'package-lock.json', 'scripts/build-dashboard.mjs'];
const SOURCE = join(ROOT, 'dashboard');
const BUILT = join(ROOT, 'dist', 'dashboard');
/** Its text is the folders of the packages in this build. */
export const DASHBOARD_STAMP = join(BUILT, '.built');
const OLD_FILE_MS_MAX = 7 * 24 * 3600 * 1000;

/** Libraries written for React run on Preact's own version of it. */
const AS_REACT = [
  { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
  { find: /^react-dom$/, replacement: 'preact/compat' },
  { find: /^react$/, replacement: 'preact/compat' },
];

/** @param {string} into @param {Set<string>} packages gets the folder of each package that is bundled */
async function bundle(into, packages) {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: SOURCE,
    publicDir: 'public',
    logLevel: 'error',
    plugins: [recordPackages(packages, ROOT)],
    resolve: { alias: AS_REACT },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: into,
      emptyOutDir: true,
      target: 'es2023',
      // Everything is a file of its own: the page runs no inline script and shows no data: image.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        onLog(level, log, next) {
          if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
          // A library marks its modules for servers that render; there is none here.
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') next(level, log);
        },
      },
    },
  });
}

/** Files are named by content and only ever added, the page is renamed over last: open pages find the files they load. @param {string} from */
function moveIntoPlace(from) {
  mkdirSync(join(BUILT, 'assets'), { recursive: true });
  const assets = readdirSync(join(from, 'assets'));
  for (const name of assets) renameSync(join(from, 'assets', name), join(BUILT, 'assets', name));
  for (const name of readdirSync(from)) if (name !== 'assets') renameSync(join(from, name), join(BUILT, name));
  for (const name of readdirSync(join(BUILT, 'assets'))) {
    const path = join(BUILT, 'assets', name);
    if (!assets.includes(name) && Date.now() - statSync(path).mtimeMs > OLD_FILE_MS_MAX) rmSync(path);
  }
}

export async function buildDashboard() {
  if (!existsSync(SOURCE)) return;
  const startedAt = new Date();
  const temporary = join(ROOT, `dist.tmp-${process.pid}-dashboard`);
  try {
    /** @type {Set<string>} */
    const packages = new Set();
    await bundle(temporary, packages);
    moveIntoPlace(temporary);
    // The stamp carries the start: what was saved during the build is newer than it.
    writeFileSync(DASHBOARD_STAMP, [...packages].map((folder) => `${relative(ROOT, folder)}\n`).join(''));
    utimesSync(DASHBOARD_STAMP, startedAt, startedAt);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The folders of the packages in the dashboard that lies in dist. @returns {Set<string>} */
export function dashboardPackages() {
  const text = existsSync(DASHBOARD_STAMP) ? readFileSync(DASHBOARD_STAMP, 'utf8') : '';
  return new Set(text.split('\n').flatMap((path) => (path === '' ? [] : [join(ROOT, path)])));
}
