// A process that runs several test files, one after the other: shared-tests.mjs FILE…. Each file must leave it as it
// found it: nothing open, the same environment, the same folder.
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { beginFile, END_OF_FILE, tell, tellFailure } from './shared-reporter.mjs';

const SETTLE_MS_MAX = 1_000;

/** What keeps the process from ending. */
function openResources() {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate');
}

function surroundings() {
  return JSON.stringify([process.cwd(), process.env]);
}

/** @param {number} before */
async function settle(before) {
  const startedMs = performance.now();
  do await setImmediate();
  while (openResources().length > before && performance.now() - startedMs < SETTLE_MS_MAX);
}

process.on('uncaughtExceptionMonitor', tellFailure);
process.on('unhandledRejection', tellFailure);
await setImmediate();
let open = openResources().length;
let found = surroundings();
for (const file of process.argv.slice(2)) {
  const startedMs = performance.now();
  const told = beginFile(file);
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    tellFailure(error);
  }
  test(END_OF_FILE, () => undefined);
  await told;
  await settle(open);
  if (openResources().length > open)
    tellFailure(`its tests are over, and something that they left open keeps it from ending: ${openResources()}`);
  if (surroundings() !== found) tellFailure('its tests changed the environment or the folder of their process');
  open = openResources().length;
  found = surroundings();
  tell('test:summary', { duration_ms: performance.now() - startedMs });
}
process.exit(0);
