// npm run bench -- NAME: runs bench/NAME.ts under the project's Node, after set-up and build.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectEnvironment, projectNode, ROOT, setUp } from './set-up.mjs';

/** @param {string[]} args */
function run(args) {
  return spawnSync(projectNode(), args, { cwd: ROOT, stdio: 'inherit', env: projectEnvironment() }).status ?? 1;
}

setUp();
const folder = join(ROOT, 'bench');
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.ts')) : [];
const [name, ...rest] = process.argv.slice(2);
if (name === undefined || !names.includes(`${name}.ts`)) {
  const known = names.map((each) => each.replace(/\.ts$/, '')).join(', ') || 'none yet';
  process.stderr.write(`error: ${name === undefined ? 'which bench?' : `there is no bench/${name}.ts`}\n`);
  process.stderr.write(`try: npm run bench -- NAME, with one of: ${known}\n`);
  process.exitCode = 2;
} else {
  process.exitCode =
    run([join(ROOT, 'scripts', 'build.mjs'), '--if-stale']) || run([join(folder, `${name}.ts`), ...rest]);
}
