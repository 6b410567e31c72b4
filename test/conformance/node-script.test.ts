import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeClient } from '../../src/api/node-client.ts';
import type { TaskView } from '../../src/api/task/task-view.ts';
import { CLIENTS, report } from '../support/node/node-clients.ts';
import { TestServer } from '../support/node/test-server.ts';
import { taken } from '../support/taken.ts';

test('one script has the same answers from both', async () => {
  const transcripts = [];
  for (const open of Object.values(CLIENTS)) {
    const { client, folder, called } = await open();
    transcripts.push(alike(await playScript(client, folder), folder));
    const missing = Object.keys((await TestServer.open()).local).filter((method) => !called.has(method));
    assert.deepEqual(missing, [], 'every call of the contract is in the script');
  }
  assert.deepEqual(transcripts[1], transcripts[0]);
});

/** The same story with the same words: ids are numbered as they come, for the mirror draws from them too. */
function alike(said: unknown, folder: string): unknown {
  const seen: string[] = [];
  const number = (id: string) => {
    if (!seen.includes(id)) seen.push(id);
    return `id-${seen.indexOf(id)}`;
  };
  const text = JSON.stringify(said)
    .replaceAll(folder, 'FOLDER')
    .replaceAll(/(tsk|run|ses|inv)_\w{26}/g, number)
    // Both nodes make ids in the background too, so that their order differs.
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}\b/g, number);
  // Sessions end by the clock of the machine, which the two nodes read at different times.
  const timed = text
    .replaceAll(/"ended_at":"[^"]+"/g, '"ended_at":""')
    .replaceAll(/("stop":"operator","completedAt"):"[^"]+"/g, '$1:""');
  return JSON.parse(timed.replaceAll(/"sha256":"\w+"/g, '"sha256":""'));
}

/** Every call of the contract, with answers and refusals. */
async function playScript(client: NodeClient, folder: string): Promise<unknown[]> {
  const said: unknown[] = [];
  const say = async (answer: Promise<unknown>) => said.push(await answer);
  await say(client.createTask({ title: 'One', tags: ['ü'], reviewRequired: true }, { key: 'a' }));
  await say(client.createTask({ title: 'Two', agent: 'bad name' }));
  await say(client.createTask({ title: 'Two', dependsOn: ['one'] }));
  await say(client.editTask({ task: 'two', body: 'lone \u{10ffff}', priority: 'critical' }));
  await say(client.claimTask({ task: 'two', agent: 'swe', run: null }));
  await say(client.claimTask({ task: 'one', agent: 'swe', run: null }, { key: 'b' }));
  await say(client.beatTask({ task: 'one', agent: 'swe', run: 'run_x' }));
  await say(client.beatTask({ task: 'one', agent: 'swe', run: null }));
  const [one] = said as TaskView[];
  for (const text of [report(one?.id ?? '', 'swe'), report('TASK-2026-02-09-900'), '{"protocol":"aof"}', '[1', '{}'])
    await say(client.send({ text, run: null }));
  await say(client.endTask({ task: 'one', agent: 'swe', run: null }));
  await say(client.moveTask({ task: 'one', to: 'done', reason: 'seen' }));
  await say(client.moveTask({ task: 'one', to: 'ready' }));
  await say(client.dependTask({ task: 'one', on: ['two'] }));
  await say(client.cancelTask({ task: 'two', reason: 'no' }));
  await say(client.retryTask({ task: 'two' }));
  await say(client.runTask({ task: 'two', agent: 'demo' }, { key: 'run' }));
  await say(client.carryTask({ task: 'two' }));
  await playOrders(client, say);
  await playFederation(client, say);
  await playExternal(client, say);
  await playSessions(client, say);
  await say(client.listTasks({ all: true, limit: 1 }));
  await say(client.showTask({ task: 'two' }));
  await say(client.showTask({ task: 't' }));
  await say(client.listEvents({ after: 0, limit: 100 }));
  await say(client.readTrace({ task: 'one', order: 'newest', limit: 3 }));
  await say(client.readStory({ task: 'one' }));
  await say(client.listPoints({ task: 'one' }));
  await say(client.previewRewind({ task: 'one', to: '1' }));
  await say(client.rewindTask({ task: 'one', to: '1', keep: true }));
  await say(client.treeSettled());
  await say(client.status());
  await say(steadyOverview(client));
  await say(client.search({ text: 'one' }));
  await say(client.search({ text: ' ' }));
  await say(client.listTasks({ text: 'o', order: 'newest', all: true, limit: 1 }));
  await say(client.listRuns({ task: 'one', live: false }));
  await say(client.listRuns({ task: 'none such' }));
  await say(client.listAgents());
  await say(client.describeApi());
  // Its code is a secret: what it says of itself is compared elsewhere.
  const link = taken(await client.createLink());
  await say(client.showLink({ link: link.id }));
  await say(firstFollowed(client));
  await say(Array.fromAsync(client.batch([{ call: 'showTask', request: { task: 'one' } }, { call: 'none such' }])));
  await say(client.rebuild());
  await say(client.clean({ dryRun: true }));
  await say(client.clean());
  await say(client.backup({ file: `${folder}.copy.sqlite` }));
  await say(client.backup({ file: `${folder}.copy.sqlite` }));
  await say(client.close());
  return said;
}

async function playExternal(client: NodeClient, say: (answer: Promise<unknown>) => Promise<unknown>): Promise<void> {
  await say(client.createInvite({ agent: 'scout', scopes: ['root'] }));
  await say(client.createInvite({ agent: 'scout', scopes: ['task.read'], ttlSeconds: 901 }));
  const made = taken(await client.createInvite({ agent: 'scout', scopes: ['task.read'] }));
  await say(Promise.resolve({ ...made, invite: '', url: '' }));
  await say(client.listInvites());
  await say(client.listExternalAgents({ all: true }));
  await say(client.revokeExternal({ who: 'scout' }));
  await say(client.revokeExternal({ who: 'scout' }));
  await say(client.readAudit({ verdict: 'refused', limit: 2 }));
}

/** This node is in no federation. */
async function playFederation(client: NodeClient, say: (answer: Promise<unknown>) => Promise<unknown>): Promise<void> {
  await say(client.nodeStatus());
  await say(client.nodeStatus({ now: true }));
  await say(client.nodeLinks({ all: true }));
  await say(client.dismissIncident({ incident: 'inc_0' }));
  await say(client.joinFederation({ transport: 'local', folder: 'not/whole' }));
  await say(client.leaveFederation());
  await say(client.trustNode({ node: 'left' }));
  await say(client.removeNode({ node: 'left' }));
  await say(client.sendMessage({ to: ['emma'], body: 'hello' }));
  await say(
    client.publishCapability({
      capabilityId: 'cap.x',
      version: '1',
      ownerAgentId: 'emma',
      executorSkillRef: { name: 's', version: '1' },
    }),
  );
  await say(client.listCapabilities({}));
  await say(client.showCapability({ capability: 'cap.x' }));
  await say(client.removeCapability({ capability: 'cap.x' }));
  await say(client.closeCapabilityReview({ review: 'rev_x' }));
  await say(client.sentMessages());
  await say(client.readMessages({ peek: true }));
  await say(client.replyMessage({ event: 'evt_0', body: 'hello' }));
}

async function firstFollowed(client: NodeClient): Promise<unknown> {
  const stopping = new AbortController();
  for await (const event of taken(await client.follow({ after: 0, type: 'task.*' }, stopping.signal))) {
    stopping.abort();
    return event;
  }
  return null;
}

/** Without the instants of the clock that orders are carried out by, which is the machine's. */
async function steadyOverview(client: NodeClient): Promise<unknown> {
  const { at: _at, spend, finished, needsYou, ...rest } = taken(await client.overview());
  return {
    ...rest,
    usd: spend.usd,
    finished: finished.map(({ id }) => id),
    needsYou: needsYou.map(({ kind }) => kind),
  };
}

/** A session of two tasks: refused, planned, taken once, looked at, stopped, taken up again. */
async function playSessions(client: NodeClient, say: (answer: Promise<unknown>) => Promise<unknown>): Promise<void> {
  const text = 'session: S 1\nagent: demo\ntasks: [{name: a, words: x}, {name: b, words: y, after: a}]\n';
  const request = { text, workspace: '/usr', budgetUsd: 5 };
  await say(client.planSession({ ...request, text: 'tasks: []' }));
  await say(client.planSession(request));
  await say(client.submitSession({ ...request, text: 'tasks: [{words: x, after: nobody}]' }));
  await say(client.submitSession(request, { key: 'session' }));
  await say(client.submitSession(request, { key: 'session' }));
  await say(client.submitSession(request));
  await say(client.listSessions({ limit: 5 }));
  for (const session of ['S 1', '@', 'none such', 'S/\u0000']) {
    await say(client.showSession({ session }));
    await say(client.carrySession({ session }));
    await say(client.sessionReport({ session }));
    await say(client.applySession({ session, branch: 'none', resolve: 'demo' }));
    await say(client.continueSession({ session }));
  }
  await say(client.stopSession({ session: 'S 1' }));
  await say(client.stopSession({ session: 'S 1' }));
  await say(client.retrySession({ session: 'S 1', atOnce: 1 }));
  await say(client.stopSession({ session: '@' }));
}

/** Nobody carries anything out here: what is asked for is planned, taken, looked at and stopped. */
async function playOrders(client: NodeClient, say: (answer: Promise<unknown>) => Promise<unknown>): Promise<void> {
  const order = { text: 'write it down', workspace: '/usr', agent: 'demo', checks: ['true'], timeoutSeconds: 60 };
  await say(client.planOrder(order));
  await say(client.planOrder({ ...order, agent: 'nobody-at-all' }));
  await say(client.planOrder({ ...order, workspace: 'not/whole' }));
  await say(client.submitOrder({ ...order, checks: ['true | false'] }));
  await say(client.submitOrder(order, { key: 'order' }));
  await say(client.submitOrder(order, { key: 'order' }));
  for (const reference of ['write', 'one', 'none such']) {
    await say(client.planAgain({ task: reference }));
    await say(client.planRun({ task: reference, agent: 'demo' }));
    await say(client.planRun({ task: reference }));
    await say(client.runTask({ task: reference, checks: ['true'] }));
    await say(client.orderReport({ task: reference }));
    await say(client.readLog({ task: reference, after: 0 }));
    await say(client.diffWork({ task: reference }));
    await say(client.readEvidence({ task: reference }));
    await say(client.applyWork({ task: reference, branch: 'b' }));
    await say(client.discardWork({ task: reference }));
    await say(client.undoWork({ task: reference, keep: true }));
  }
  await say(client.verifyWork({ task: 'one' }));
  await say(client.stopOrder({ task: 'write' }));
  await say(client.stopOrder({ task: 'one' }));
  await say(client.continueTask({ task: 'one', text: 'Go on.' }));
  await say(client.sayWords({ task: 'one', text: 'Use b.' }));
  await say(client.sayWords({ task: 'nobody', text: 'Use b.' }));
  await say(client.sayWords({ task: 'one', text: ' ' }));
  await say(client.listQuestions());
  await say(client.listQuestions({ task: 'one' }));
  await say(client.listQuestions({ task: 'nobody' }));
  await say(client.answerQuestion({ task: 'one', answer: 'yes' }));
  await say(client.answerQuestion({ task: 'qst_0', answer: 'yes' }));
  await say(client.askFeedback({ agent: 'nobody-at-all', text: '{}', workspace: '/usr' }));
  await say(client.askFeedback({ agent: 'demo', text: '{}', workspace: 'usr' }));
  await say(client.askFeedback({ session: 'ses_0', text: '{}', workspace: '/usr' }));
  await say(client.beginFeedback({ text: 'a plan', workspace: '/usr', from: ['nobody-at-all'] }));
  await say(client.beginFeedback({ text: 'a plan', workspace: 'usr', from: [] }));
  await say(client.showFeedback({ feedback: 'fbk_0' }));
  await say(client.carryFeedback({ feedback: 'fbk_0' }));
  await say(client.beginReview({ task: 'no such task' }));
  await say(client.beginReview({ task: '@' }));
  await say(client.listFeedback({ task: '@' }));
  await say(client.decideFeedback({ feedback: 'fbk_0', round: 1, decisions: [] }));
  await say(client.stopFeedback({ feedback: 'fbk_0' }));
  await say(client.awaitFeedback({ session: 'ses_0', iteration: 1 }));
  await say(client.listAttention());
  await say(client.listAttention({ task: 'one' }));
  await say(client.agentStats());
  await say(client.dayReport({ since: '2999-02-09T00:00:00Z', until: '2999-02-10T00:00:00Z' }));
  await say(client.listAttention({ task: 'nobody' }));
  await say(client.approveReview({ task: 'write', message: 'good' }));
  await say(client.approveReview({ task: 'nobody' }));
  await say(client.returnReview({ task: 'one', message: 'once more', comments: [{ text: 'a', path: 'b', line: 1 }] }));
  await say(client.returnReview({ task: 'one' }));
}
