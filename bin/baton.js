#!/usr/bin/env node
// Starts Baton where there is no POSIX shell (Windows), or on the caller's Node. Plain JavaScript that old versions of
// Node can read, so that this file can say that they are too old.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const NODE_MAJOR_MIN = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isWindows = process.platform === 'win32';
const main = join(root, 'dist', 'main.js');

function fail(what, next) {
  process.stderr.write(`error: ${what}\ntry: ${next}\n`);
  process.exit(2);
}

function nodeOfClone() {
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
  const path = join(root, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node');
  return existsSync(path) ? path : undefined;
}

/** Runs a command to its end with our terminal, and ends as it did. */
function become(command, args) {
  const run = spawnSync(command, args, { stdio: 'inherit' });
  if (run.error) fail(run.error.message, 'install Node 24 or newer');
  if (run.signal) process.kill(process.pid, run.signal);
  process.exit(run.status ?? 1);
}

const isNewEnough = Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN;
const isClone = existsSync(join(root, 'src')) && existsSync(join(root, 'scripts', 'build.mjs'));
// On a new enough Node outside of Windows, the shell launcher has tried the clone's Node already.
const ownNode = isClone && (isWindows || !isNewEnough) ? nodeOfClone() : undefined;
const node = ownNode ?? (isNewEnough ? process.execPath : undefined);

if (isClone && !existsSync(join(root, 'node_modules'))) fail('this clone has no node_modules', 'npm ci');
if (!node) fail(`Baton needs Node 24 or newer, this is ${process.version}`, 'install Node 24 or newer');
if (isClone && isWindows) {
  const build = spawnSync(node, [join(root, 'scripts', 'build.mjs'), '--if-stale'], { stdio: 'inherit' });
  if (build.status !== 0) process.exit(2);
}
if (!existsSync(main)) fail('dist/main.js is missing from this installation', 'npm install -g baton-agents');
if (ownNode && ownNode !== process.execPath) become(ownNode, [main, ...process.argv.slice(2)]);
process.argv[1] = main;
await import(pathToFileURL(main).href);
