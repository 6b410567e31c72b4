// Starts a node, invites an agent that it does not trust, and gives it a task: agent.mjs takes part over HTTP with a key of its own.
// Ends with 0 only if the work waits for a person, nothing outside of its scopes worked, and a revoked agent is out.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectExternalAgent, httpClient, isRefusal } from 'baton-agents';

const CLONE = fileURLToPath(new URL('../..', import.meta.url));
const AGENT = fileURLToPath(new URL('agent.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'baton-external-'));

/** @template Answer @param {Answer} answer @returns {Exclude<Answer, import('baton-agents').Refusal>} */
function accepted(answer) {
  if (isRefusal(answer)) throw new Error(`${answer.code}: ${answer.message} (${answer.hint})`);
  return /** @type {Exclude<Answer, import('baton-agents').Refusal>} */ (answer);
}

/** @param {boolean} isRight @param {string} what */
function expect(isRight, what) {
  console.log(`${isRight ? 'ok ' : 'NOT'} ${what}`);
  if (!isRight) process.exitCode = 1;
}

const node = spawn(join(CLONE, 'bin', 'baton'), ['up', '--json', '--data', join(folder, 'data')], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
try {
  const [line] = await once(node.stdout, 'data');
  const { url } = JSON.parse(String(line));
  const { token } = JSON.parse(readFileSync(join(folder, 'data', 'node.json'), 'utf8'));
  const operator = httpClient({ url, token });
  const scopes = ['task.read', 'task.claim', 'task.update', 'task.complete'];
  const { invite } = accepted(await operator.createInvite({ agent: 'scout', scopes }));
  const task = accepted(await operator.createTask({ title: 'Count my letters', agent: 'scout', reviewRequired: false }));

  const identity = join(folder, 'scout.json');
  const ended = spawnSync(process.execPath, [AGENT, identity, url, invite], { stdio: 'inherit' });
  expect(ended.status === 0, 'the agent enrolled, claimed the task and completed it');

  const seen = accepted(await operator.showTask({ task: task.id }));
  expect(seen.status === 'review', 'its word is no verdict: the task waits for a person');
  expect(seen.body.includes('counting the letters'), 'its report is in the work log');
  const [enrolled] = accepted(await operator.listExternalAgents()).agents;
  expect(enrolled?.agent === 'scout' && enrolled.keyThumbprint.length === 43, `its key is ${enrolled?.keyThumbprint}`);

  const scout = accepted(await connectExternalAgent({ identity }));
  const denied = await scout.invoke('admin.audit', {});
  expect(isRefusal(denied) && denied.code === 'scope_denied', 'what its invite does not name is denied');
  const { entries } = accepted(await operator.readAudit({ agent: 'scout' }));
  expect(entries.some(({ verdict, operation }) => verdict === 'refused' && operation === 'admin.audit'), 'and recorded');

  accepted(await operator.approveReview({ task: task.id }));
  accepted(await operator.revokeExternal({ who: 'scout' }));
  const revoked = await scout.tasks();
  expect(isRefusal(revoked) && revoked.code === 'invalid_access_token', 'revoked, it is out');
} finally {
  node.kill('SIGTERM');
  await once(node, 'close');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
