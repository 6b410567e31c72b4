// Debian packages that some tests need. Without them those tests skip. Baton itself uses bubblewrap as its sandbox and
// socat as the faster of its two network bridges.
import { spawnSync } from 'node:child_process';

/** Installed by set-up where it may (see mayInstall). @type {readonly string[]} */
export const DEBIAN_PACKAGES = ['bubblewrap', 'chromium', 'socat', 'strace'];

/** @param {string} name */
function isInstalled(name) {
  const query = spawnSync('dpkg-query', ['-W', '-f', '$' + '{db:Status-Status}', name], { encoding: 'utf8' });
  return query.status === 0 && query.stdout === 'installed';
}

function mayInstall() {
  return process.getuid?.() === 0 && Boolean(process.env.CI || process.env.BATON_APT);
}

/** @param {readonly string[]} names */
function command(names) {
  return `apt-get install -y --no-install-recommends ${names.join(' ')}`;
}

/**
 * Which of the packages are missing; prints the command that brings them. A test that needs them skips with the
 * reason: `test(name, { skip: reason(needDebianPackages(['git'])) }, …)`.
 * @param {readonly string[]} names
 * @returns {string[]}
 */
export function needDebianPackages(names) {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length > 0) process.stderr.write(`missing Debian packages; try: ${command(missing)}\n`);
  return missing;
}

/** A skip reason, or false where nothing is missing. @param {readonly string[]} missing @returns {string | false} */
export function reason(missing) {
  return missing.length > 0 ? `needs Debian packages: ${command(missing)}` : false;
}

/** @param {readonly string[]} names @returns {string[]} what was done */
export function installDebianPackages(names) {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return [];
  if (!mayInstall()) return [`without ${missing.join(', ')} (${command(missing)})`];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () =>
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...missing], { env, stdio: 'ignore' }).status ===
    0;
  // A machine whose package lists are empty or old needs one update; a second failure is left to the tests to report.
  const done = install() || (spawnSync('apt-get', ['update'], { env, stdio: 'ignore' }).status === 0 && install());
  return [done ? command(missing) : `failed: ${command(missing)}`];
}
