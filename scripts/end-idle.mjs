// Loaded into every process of tests: one that does not end by itself after its tests has left something open. It fails
// then, and nobody waits for it. Its report is out by that time.
import { after } from 'node:test';

const IDLE_MS_MAX = 30_000;

after(() => {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(`its tests are over, and something that they left open keeps it from ending: ${open}\n`);
    process.exit(1);
  }, IDLE_MS_MAX).unref();
});
