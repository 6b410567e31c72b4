// npm run test:agents: installs the vendors' command lines into the user's cache and runs every test of test/agents with
// them, against a scripted model on 127.0.0.1.
//   npm run test:agents -- PATTERN…   the test files whose path contains a pattern
//   npm run test:agents -- --latest   with the newest versions, and says which differ from agent-clis.json
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { agentCliFolder, agentClis, installAgentClis, newestVersion, pinnedVersions } from './agent-clis.mjs';
import { projectEnvironment, projectNode, ROOT, setUp } from './set-up.mjs';

const args = process.argv.slice(2);
const isLatest = args.includes('--latest');

/** @returns {Promise<Record<string, string>>} */
async function wantedVersions() {
  if (!isLatest) return pinnedVersions();
  process.env.BATON_AGENT_CLIS = join(agentCliFolder(), 'latest');
  const { mkdirSync } = await import('node:fs');
  mkdirSync(agentCliFolder(), { recursive: true });
  const newest = await Promise.all(Object.keys(agentClis()).map(async (name) => [name, await newestVersion(name)]));
  return Object.fromEntries(newest);
}

/** @param {Record<string, string>} versions */
function describeChanges(versions) {
  const pinned = pinnedVersions();
  for (const [name, version] of Object.entries(versions)) {
    const is = version === pinned[name] ? `${version}, as pinned` : `${pinned[name]} → ${version}`;
    process.stdout.write(`       ${name} ${is}\n`);
  }
}

try {
  setUp();
  // Versions that need a newer Node than the machine's are chosen by the Node that npm runs on.
  Object.assign(process.env, projectEnvironment());
  const startedMs = performance.now();
  const versions = await wantedVersions();
  const installed = await installAgentClis(versions);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  process.stdout.write(`ok     agents, ${seconds} s (${installed.join(', ') || 'all are in the cache'})\n`);
  if (isLatest) describeChanges(versions);
  const rest = args.filter((arg) => arg !== '--latest');
  const test = [join(ROOT, 'scripts', 'test.mjs'), '--suite', 'agents', ...rest];
  process.exitCode = spawnSync(projectNode(), test, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.stderr.write('try: npm run test:agents again when the package registry can be reached\n');
  process.exitCode = 1;
}
