// Three nodes on this machine, each with a data folder of its own, as if they were three machines: over a NATS server where there
// is one, else over a shared folder. The laptop has the files and no agent; the tower and the shed have one each.
// Ends with 0 only if the work was done elsewhere, on the uncommitted files too, checked there, verified and applied here.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { natsServer } from '../../scripts/nats-server.mjs';

const CLONE = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'baton-three-nodes-'));
const workspace = join(folder, 'shop');
const NODES = { laptop: {}, tower: { emma: { driver: 'demo' } }, shed: { rose: { driver: 'demo' } } };

/** @param {string} node @param {string[]} args @param {'inherit' | 'pipe'} [stdio] */
function baton(node, args, stdio = 'pipe') {
  const call = [...args, '--data', join(folder, node)];
  return spawnSync(join(CLONE, 'bin', 'baton'), call, { cwd: workspace, encoding: 'utf8', stdio });
}

/** @param {boolean} isRight @param {string} what */
function expect(isRight, what) {
  console.log(`${isRight ? 'ok ' : 'NOT'} ${what}`);
  if (!isRight) process.exitCode = 1;
}

/** A repository with a commit, and a change that is not committed. */
function makeRepository() {
  const git = (/** @type {string[]} */ ...args) =>
    spawnSync('git', ['-c', 'user.name=Jane', '-c', 'user.email=jane@localhost', ...args], { cwd: workspace });
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'prices.txt'), 'tea 3\n');
  git('init', '--quiet', '--template=');
  git('add', '.');
  git('commit', '--quiet', '-m', 'Begin');
  writeFileSync(join(workspace, 'prices.txt'), 'tea 3\ncake 5\n');
}

/** The settings of a NATS server that was started; null where there is none to start. */
async function startServer() {
  const program = natsServer();
  if (program === null) return null;
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
  probe.close();
  await once(probe, 'close');
  const args = ['-js', '-sd', join(folder, 'nats'), '-a', '127.0.0.1', '-p', String(port)];
  const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const said of server.stderr) if (/Server is ready/.test(String(said))) break;
  return { server, federation: { transport: 'nats', url: `nats://127.0.0.1:${port}` } };
}

/** @param {object} federation */
async function startNodes(federation) {
  for (const [node, agents] of Object.entries(NODES)) {
    baton(node, ['init']);
    const config = { agents, federation: { ...federation, node } };
    writeFileSync(join(folder, node, 'config.yaml'), JSON.stringify(config));
    const up = baton(node, ['up', '-d']);
    if (up.status !== 0) throw new Error(up.stderr);
  }
  for (let tries = 0; tries < 100; tries++) {
    const { peers = [] } = JSON.parse(baton('laptop', ['node', 'status', '--json']).stdout || '{}');
    if (peers.filter((/** @type {{ alive: boolean }} */ { alive }) => alive).length === 2) return;
    await wait(100);
  }
  throw new Error('the nodes do not see each other');
}

const started = await startServer();
try {
  makeRepository();
  await startNodes(started?.federation ?? { transport: 'local', folder: join(folder, 'shared') });
  console.log(`three nodes over ${started ? 'a NATS server' : 'a shared folder'}\n`);

  const words = '@demo append prices.txt scone 4';
  const checks = ['--check', 'grep -q "cake 5" prices.txt', '--check', 'grep -q "scone 4" prices.txt'];
  const ran = baton('laptop', ['run', words, '--on', 'tower', '--on', 'shed', ...checks], 'inherit');
  expect(ran.status === 0, 'the first to accept it did it, with the uncommitted line, and every check passed');
  const prices = () => readFileSync(join(workspace, 'prices.txt'), 'utf8');
  expect(prices() === 'tea 3\ncake 5\n', 'nothing has changed on the laptop');

  baton('laptop', ['diff', '@'], 'inherit');
  const verified = baton('laptop', ['receipt', 'verify', '@']);
  expect(verified.status === 0 && /by the node (tower|shed)/.test(verified.stdout), 'its receipt is signed by that node');
  expect(baton('laptop', ['apply', '@']).status === 0, 'it is applied');
  expect(prices() === 'tea 3\ncake 5\nscone 4\n', 'and the laptop has the line');
} finally {
  for (const node of Object.keys(NODES)) baton(node, ['down']);
  if (started) {
    started.server.kill('SIGTERM');
    await once(started.server, 'close');
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
