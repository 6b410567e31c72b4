// What a build is. Runs under the project's Node; build.mjs is the command.
// Chunks are named by content and only ever added, entries are renamed over last: a process that still runs the old
// build finds its chunks, and a launch in the middle of a build sees the old one or the new one whole.
import { spawnSync } from 'node:child_process';
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
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { buildDashboard, DASHBOARD_INPUTS, DASHBOARD_STAMP, dashboardPackages } from './build-dashboard.mjs';
import { ROOT } from './set-up.mjs';
import { billOfMaterials, noticesText, readPackages, recordPackages } from './third-party.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.built');
const OLD_CHUNK_MS_MAX = 7 * 24 * 3600 * 1000;
const INPUTS = ['src', 'package.json', 'package-lock.json', 'scripts/bundle.mjs', 'scripts/third-party.mjs'];

/** The newest change among what a bundle is made of, folders included, so that a removed file counts too. @param {string[]} inputs */
function newestInputMs(inputs) {
  /** @param {string} path @returns {number} */
  const newest = (path) => {
    if (path.endsWith('.test.ts')) return 0;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return 0;
    if (!stat.isDirectory()) return stat.mtimeMs;
    return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
  };
  return Math.max(...inputs.map((input) => newest(join(ROOT, input))));
}

export function isStale() {
  return isOlder(STAMP, INPUTS) || isDashboardStale();
}

/** A dashboard takes a second to build, and most changes are not of it. */
function isDashboardStale() {
  return existsSync(join(ROOT, 'dashboard')) && isOlder(DASHBOARD_STAMP, DASHBOARD_INPUTS);
}

/** @param {string} stamp @param {string[]} inputs */
function isOlder(stamp, inputs) {
  const stat = statSync(stamp, { throwIfNoEntry: false });
  return !stat || newestInputMs(inputs) > stat.mtimeMs;
}

/** Fails the build of what must run in a browser as soon as it reaches for Node. */
const refuseNode = {
  name: 'refuse-node',
  /** @param {string} id @param {string | undefined} importer */
  resolveId(id, importer) {
    if (!id.startsWith('node:') && !builtinModules.includes(id)) return null;
    throw new Error(`${importer}: imports ${id}, but ./protocols must run in a browser`);
  },
};

/**
 * Chunks, by the modules that they begin with. Each has the imports of its modules, too, except those of the chunks before it: a
 * command loads the first few of these files instead of a hundred small ones.
 * @type {{ name: string, files: string[] }[]}
 */
export const CHUNKS = [
  // Every command that goes to a node.
  {
    name: 'start',
    files: ['cli/run-command-line', 'cli/node/node-command', 'node/client/reconnecting-client', 'api/http/http-client'],
  },
  // `baton run` whose node is another process.
  {
    name: 'run',
    files: ['run', 'order-node', 'submit-order', 'follow-order-to-end', 'read-order-request'].map(
      (file) => `cli/order/${file}`,
    ),
  },
  { name: 'ids', files: ['platform/ids'] },
  { name: 'follow', files: ['node/client/follow-node'] },
  // Both are started before the code of the node is loaded.
  { name: 'status', files: ['workspace/repository-status'] },
  { name: 'sandbox', files: ['node/agents/try-sandbox'] },
  // `baton check`.
  { name: 'messages', files: ['protocols/read-message', 'protocols/fields', 'protocols/judge-value'] },
  ...['aop', 'aof', 'saop', 'afp', 'runtime'].map((name) => ({ name, files: [`protocols/${name}/codec`] })),
  { name: 'settings', files: ['config/load-config', 'config/write-setting', 'platform/process/run-editor'] },
  // `baton agents`.
  { name: 'agents', files: ['node/agents/list-agents'] },
  // `baton doctor`.
  { name: 'damage', files: ['cli/doctor/ledger-findings', 'cli/doctor/folder-findings', 'cli/doctor/shadow-finding'] },
  // `baton run --dry-run`.
  { name: 'plan', files: ['node/plan-world-of'] },
  // Every command that is its own node.
  { name: 'node', files: ['node', 'node/serve-node'] },
];

const DOMAIN = join(ROOT, 'src', 'domain');
const CLIENTS = join(ROOT, 'src', 'cli');

/**
 * Whether a module of the domain is loaded by a command that goes to a node, too: such modules load nothing slow, and are one chunk.
 * @param {string} id @param {import('rolldown').ChunkingContext} context
 */
function isForClients(id, context) {
  const seen = new Set(id.startsWith(DOMAIN) ? [id] : []);
  for (const module of seen) {
    const importers = context.getModuleInfo(module)?.importers ?? [];
    if (importers.some((importer) => importer.startsWith(CLIENTS))) return true;
    for (const importer of importers) if (importer.startsWith(DOMAIN)) seen.add(importer);
  }
  return false;
}

const GROUPS = [
  ...CHUNKS.map(({ name, files }, at) => {
    const paths = files.map((file) => join(ROOT, 'src', `${file}.ts`));
    return { name, test: (/** @type {string} */ id) => paths.includes(id), priority: CHUNKS.length - at };
  }),
  {
    debugName: 'nouns',
    name: (/** @type {string} */ id, /** @type {import('rolldown').ChunkingContext} */ context) =>
      isForClients(id, context) ? 'nouns' : null,
    // Behind the first two.
    priority: CHUNKS.length - 1.5,
  },
];

/**
 * @param {string} into @param {boolean} release @param {Set<string>} packages gets the folder of each package that is bundled
 * @returns {Promise<string[]>} notes
 */
async function bundle(into, release, packages) {
  const { rolldown } = await import('rolldown');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  // A clone keeps the places where a test may kill the process; a release does not.
  const define = { BATON_VERSION: JSON.stringify(version), BATON_CRASH_POINTS: String(!release) };
  const bundles = [
    { input: { main: 'src/main.ts', library: 'src/library.ts' }, platform: /** @type {const} */ ('node'), plugins: [] },
    // Programs of their own, each whole in one file: a sandbox shows them nothing else of Baton.
    {
      input: { 'demo-agent': 'src/agents/drivers/demo/demo-agent.ts' },
      platform: /** @type {const} */ ('node'),
      plugins: [],
    },
    {
      input: { 'network-bridge': 'src/agents/sandbox/network/bridge-program.ts' },
      platform: /** @type {const} */ ('node'),
      plugins: [],
    },
    {
      input: { protocols: 'src/protocols/public.ts' },
      platform: /** @type {const} */ ('neutral'),
      plugins: [refuseNode],
    },
  ];
  const notes = [];
  for (const { input, platform, plugins } of bundles) {
    const present = Object.entries(input).filter(([, file]) => existsSync(join(ROOT, file)));
    for (const [, file] of Object.entries(input)) if (!existsSync(join(ROOT, file))) notes.push(`no ${file} yet`);
    if (present.length === 0) continue;
    const built = await rolldown({
      cwd: ROOT,
      input: Object.fromEntries(present),
      platform,
      plugins: [...plugins, recordPackages(packages, ROOT)],
      transform: { target: 'node24', define },
      onLog(level, log, next) {
        // What cannot be found at build time would fail at the user's.
        if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
        // The library has all codecs anyway; only the command line loads them one by one.
        if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') next(level, log);
      },
    });
    await built.write({
      dir: into,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      minify: false,
      codeSplitting: { groups: GROUPS },
    });
    await built.close();
  }
  return notes;
}

/** @param {string} from */
function moveIntoPlace(from) {
  mkdirSync(join(DIST, 'chunks'), { recursive: true });
  const chunks = existsSync(join(from, 'chunks')) ? readdirSync(join(from, 'chunks')) : [];
  for (const chunk of chunks) renameSync(join(from, 'chunks', chunk), join(DIST, 'chunks', chunk));
  for (const entry of readdirSync(from)) if (entry !== 'chunks') renameSync(join(from, entry), join(DIST, entry));
  for (const chunk of readdirSync(join(DIST, 'chunks'))) {
    const path = join(DIST, 'chunks', chunk);
    if (!chunks.includes(chunk) && Date.now() - statSync(path).mtimeMs > OLD_CHUNK_MS_MAX) rmSync(path);
  }
}

/** @param {string} path @param {string} text */
function replaceFile(path, text) {
  writeFileSync(`${path}-${process.pid}`, text);
  renameSync(`${path}-${process.pid}`, path);
}

/** @param {Set<string>} folders of the packages in dist */
function writeThirdParty(folders) {
  const packages = readPackages(folders);
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { packages: locked } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  replaceFile(join(DIST, 'THIRD-PARTY-NOTICES'), noticesText(packages));
  replaceFile(
    join(DIST, 'sbom.cdx.json'),
    `${JSON.stringify(billOfMaterials(packages, { manifest, locked }), null, 2)}\n`,
  );
}

function emitTypes() {
  const config = JSON.parse(readFileSync(join(ROOT, 'tsconfig.build.json'), 'utf8'));
  const files = config.files.filter((/** @type {string} */ file) => existsSync(join(ROOT, file)));
  if (files.length === 0) return;
  rmSync(join(DIST, 'types'), { recursive: true, force: true });
  const temporary = join(ROOT, `tsconfig.tmp-${process.pid}.json`);
  writeFileSync(temporary, JSON.stringify({ extends: './tsconfig.build.json', files }));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const run = spawnSync(process.execPath, [tsc, '-p', temporary], { cwd: ROOT, encoding: 'utf8' });
  rmSync(temporary);
  if (run.status !== 0) throw new Error(run.stdout + run.stderr);
  nameDeclarationsForEveryCompiler();
}

/** tsc leaves './a.ts' in declarations; every version of it understands './a.js'. */
function nameDeclarationsForEveryCompiler() {
  const types = join(DIST, 'types');
  for (const path of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.d.ts')) continue;
    const text = readFileSync(join(types, path), 'utf8');
    writeFileSync(join(types, path), text.replace(/((?:from |import\()['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js'));
  }
}

/** Builds once; `clean` is how a release is made. @param {{ types?: boolean, clean?: boolean }} options @returns {Promise<string[]>} notes */
export async function build({ types = false, clean = false } = {}) {
  const startedAt = new Date();
  const temporary = join(ROOT, `dist.tmp-${process.pid}`);
  try {
    /** @type {Set<string>} */
    const packages = new Set();
    const notes = await bundle(temporary, clean, packages);
    if (clean) rmSync(DIST, { recursive: true, force: true });
    if (existsSync(temporary)) moveIntoPlace(temporary);
    if (isDashboardStale()) await buildDashboard();
    if (types) emitTypes();
    mkdirSync(DIST, { recursive: true });
    writeThirdParty(packages.union(dashboardPackages()));
    // The stamp carries the start: what was saved during the build is newer than it.
    writeFileSync(`${STAMP}-${process.pid}`, '');
    utimesSync(`${STAMP}-${process.pid}`, startedAt, startedAt);
    renameSync(`${STAMP}-${process.pid}`, STAMP);
    return notes;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
