// Loaded into every process of tests: one that does not end by itself after its tests has left something open. It fails
// then, and nobody waits for it. Its report is out by that time.
import { after } from 'node:test';

const IDLE_MS_MAX = 30_000;
/** Other hooks remove folders meanwhile, and on a busy machine for longer than that: nothing is open when they are done. */
const LAST_MS = 1_000;

function fail() {
  const open = process.getActiveResourcesInfo().join(', ');
  process.stderr.write(`its tests are over, and something that they left open keeps it from ending: ${open}\n`);
  process.exit(1);
}

after(() => {
  setTimeout(() => setTimeout(fail, LAST_MS).unref(), IDLE_MS_MAX).unref();
});
