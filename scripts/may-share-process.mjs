// Says which test files may share a process: those that reach no module by which a test holds the machine (sockets,
// processes, threads, databases). A process takes longer to start than most of their tests take to run.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Modules of Node that hold nothing once a call has returned, or whose holds end with the test's own cleaning up. */
const HARMLESS = new Set(
  'assert assert/strict buffer crypto events fs fs/promises os path perf_hooks process stream stream/promises string_decoder test url util zlib'
    .split(' ')
    .map((name) => `node:${name}`),
);

/** Packages of pure code. */
const PURE_PACKAGES = [
  '@agentclientprotocol/sdk',
  '@cfworker/json-schema',
  'ajv',
  'ajv-formats',
  'anser',
  'fast-check',
];
PURE_PACKAGES.push('node-diff3', 'preact', 'smol-toml', 'uuidv7', 'yaml', 'zod');

const IMPORT = /^(?:import|export)\s+(?!type\b)(?:([^'";]*?)\sfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'/gm;

/** A hook outside of every suite would run around the tests of other files too. */
const ROOT_HOOK = /^(?:before|beforeEach|afterEach)\(/m;

/** @typedef {{ imports: string[], holds: boolean }} Reach what a module imports of this repository, and whether it may hold the machine */

/** @param {string} name @param {string} names what is imported from it */
function isHarmless(name, names) {
  if (HARMLESS.has(name)) return true;
  // A child that is waited for is gone when the call returns.
  if (name === 'node:child_process') return /^\{[\s\w,]*\}$/.test(names) && !/\b\w+(?<!Sync)\b/.test(names);
  return PURE_PACKAGES.some((each) => name === each || name.startsWith(`${each}/`));
}

/** @param {string} path @returns {Reach} */
export function readReach(path) {
  if (!/\.(?:ts|tsx|mjs|js)$/.test(path) || !existsSync(path)) return { imports: [], holds: false };
  const matches = [...readFileSync(path, 'utf8').matchAll(IMPORT)];
  const found = matches.map(([, names = '', from, onDemand]) => ({ names, name: from ?? onDemand ?? '' }));
  return {
    imports: found.filter(({ name }) => name.startsWith('.')).map(({ name }) => join(dirname(path), name)),
    holds: found.some(({ names, name }) => !name.startsWith('.') && !isHarmless(name, names)),
  };
}

/** @returns {(file: string) => boolean} for absolute paths; remembers the modules that it has read */
export function mayShareProcess() {
  /** @type {Map<string, Reach>} */
  const reaches = new Map();
  return (file) => {
    if (ROOT_HOOK.test(readFileSync(file, 'utf8'))) return false;
    const reached = new Set([file]);
    for (const path of reached) {
      const reach = reaches.get(path) ?? readReach(path);
      reaches.set(path, reach);
      if (reach.holds) return false;
      for (const each of reach.imports) reached.add(each);
    }
    return true;
  };
}
