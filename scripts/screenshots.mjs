// npm run screenshots: pictures of every page of the dashboard, into docs/pictures/.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projectEnvironment, projectNode, ROOT, setUp } from './set-up.mjs';

/** @param {string[]} args */
function run(args) {
  return spawnSync(projectNode(), args, { cwd: ROOT, stdio: 'inherit', env: projectEnvironment() }).status ?? 1;
}

setUp();
process.exitCode =
  run([join(ROOT, 'scripts', 'build.mjs'), '--if-stale']) ||
  run([join(ROOT, 'test/support/dashboard/take-screenshots.ts')]);
