// npm start: set-up, build, then the main job, live: the first run of examples/.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projectEnvironment, projectNode, ROOT, setUp } from './set-up.mjs';

/** @param {string[]} args */
function run(args) {
  return spawnSync(projectNode(), args, { cwd: ROOT, stdio: 'inherit', env: projectEnvironment() }).status ?? 1;
}

try {
  process.stdout.write(`set-up: ${setUp()}\n`);
  const built = run([join(ROOT, 'scripts', 'build.mjs')]);
  process.exitCode = built === 0 ? run([join(ROOT, 'examples', 'first-run', 'run.mjs')]) : built;
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : error}\ntry: npm ci --ignore-scripts\n`);
  process.exitCode = 2;
}
