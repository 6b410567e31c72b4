import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import type { HeldTask } from '../../src/api/contract.ts';
import { connectExternalAgent, type ExternalAgent } from '../../src/api/external/external-agent.ts';
import { isRefusal } from '../../src/domain/refusal.ts';
import type { AgentIdentity } from '../../src/platform/agent-identity.ts';
import { DataFolder, scratchFolder } from '../support/data-folder.ts';
import { ExternalDaemon } from '../support/external/external-daemon.ts';
import { inTime } from '../support/in-time.ts';
import { selfSigned } from '../support/node/self-signed.ts';
import { type BatonRun, linesOf, runBaton } from '../support/run-baton.ts';
import { taken } from '../support/taken.ts';

// Baton's own client: the command line and the library.

const scratch = scratchFolder('external-client');
const node = await ExternalDaemon.start(join(scratch, 'data'));
const folder = new DataFolder(node.folder);
const WORK = ['task.read', 'task.claim', 'task.update', 'task.complete', 'status.read'];

function baton(args: readonly string[], identity: string, input?: string): Promise<BatonRun> {
  const flags = ['agent-client', ...args, '--identity', identity, '--json'];
  return runBaton(flags, { folder: scratch, ...(input !== undefined && { input: [input] }) });
}

async function json<Value>(args: readonly string[], identity: string, input?: string): Promise<Value> {
  const run = await baton(args, identity, input);
  assert.equal(run.status, 0, run.stdout + run.stderr);
  return linesOf<Value>(run)[0] as Value;
}

function stored(file: string): AgentIdentity {
  return JSON.parse(readFileSync(file, 'utf8')) as AgentIdentity;
}

async function connected(file: string, agent: string): Promise<ExternalAgent> {
  const made = await connectExternalAgent({ identity: file, url: node.url, invite: await node.invite(agent, WORK) });
  assert.ok(!isRefusal(made), JSON.stringify(made));
  return made;
}

describe('baton agent-client', () => {
  const file = join(scratch, 'scout.json');

  test('enrols by an invite of baton invite, and the person sees its key', async () => {
    const invited = await folder.json<{ invite: string; url: string }>(
      'invite',
      'scout',
      '--scope',
      WORK.join(','),
      '--ttl',
      '5m',
    );
    const enrolled = await json<{ agent: string; keyThumbprint: string }>(
      ['enrol', invited.url],
      file,
      `${invited.invite}\n`,
    );
    assert.equal(enrolled.agent, 'scout');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const { kty, crv, x } = stored(file).key as Record<string, string>;
    assert.equal(enrolled.keyThumbprint, await calculateJwkThumbprint({ kty, crv, x } as never));
    const rows = linesOf<{ name: string; driver: string; external?: { keyThumbprint: string; scopes: string[] } }>(
      await folder.run(['agents', '--json']),
    );
    const row = rows.find(({ name }) => name === 'scout');
    assert.deepEqual(
      [row?.driver, row?.external?.keyThumbprint, row?.external?.scopes],
      ['external', enrolled.keyThumbprint, WORK],
    );
    assert.match(
      (await folder.run(['agents'])).stdout,
      new RegExp(`scout +external +enrolled.*\\n +key ${enrolled.keyThumbprint}`),
    );
    const [used] = linesOf<{ state: string }>(await folder.run(['invite', 'list', '--all', '--json']));
    assert.equal(used?.state, 'used');
  });

  test('claims, beats, reports and completes a task, which waits for a person', async () => {
    const task = (await folder.newTask('For the scout', '--agent', 'scout', '--no-review')).id;
    const { tasks } = await json<{ tasks: { id: string }[] }>(['tasks'], file);
    assert.deepEqual(
      tasks.map(({ id }) => id),
      [task],
    );
    const { run } = await json<HeldTask>(['claim', task], file);
    assert.equal((await json<HeldTask>(['beat', task, '--run', run.id], file)).run.beats, 1);
    await json(['update', task, 'half', 'way'], file);
    await json(['complete', task, '--outcome', 'done', '--notes', '-', '--run', run.id], file, 'all of it');
    assert.equal((await folder.json<{ status: string }>('task', 'show', task)).status, 'review');
    await folder.json('review', 'approve', task);
    const called = await json<{ result: { status: string } }>(['call', 'task.read', JSON.stringify({ task })], file);
    assert.equal(called.result.status, 'done');
    const { entries } = taken(await node.client.readAudit({ verdict: 'refused' }));
    assert.equal(
      entries.filter(({ code }) => code === 'use_dpop_nonce').length,
      1,
      'the nonce is kept between commands',
    );
  });

  test('says what is wrong: with the call, with the file, and what the node refuses', async () => {
    const codeOf = async (args: readonly string[], identity = file) => {
      const run = await baton(args, identity);
      return [run.status, linesOf<{ code: string }>(run)[0]?.code];
    };
    assert.deepEqual(await codeOf(['call', 'task.cancel']), [2, 'usage']);
    assert.deepEqual(await codeOf(['claim']), [2, 'usage']);
    assert.deepEqual(await codeOf(['call', 'admin.audit']), [2, 'scope_denied']);
    assert.deepEqual(await codeOf(['status'], join(scratch, 'none.json')), [2, 'unreadable_file']);
    assert.deepEqual(await codeOf(['enrol', node.url]), [2, 'file_exists']);
    const torn = join(scratch, 'torn.json');
    writeFileSync(torn, '{', { mode: 0o600 });
    assert.deepEqual(await codeOf(['status'], torn), [2, 'key_unusable']);
    chmodSync(file, 0o644);
    assert.deepEqual(await codeOf(['status']), [2, 'key_unusable']);
    chmodSync(file, 0o600);
    const wrong = await baton(['enrol', node.url], join(scratch, 'wrong.json'), 'baton-invite-wrong');
    assert.deepEqual([wrong.status, linesOf<{ code: string }>(wrong)[0]?.code], [2, 'invalid_invite']);
    assert.equal(existsSync(join(scratch, 'wrong.json')), false);
  });

  test('several processes with one file exchange its refresh token once', async () => {
    writeFileSync(file, JSON.stringify({ ...stored(file), accessEndsAt: 0 }), { mode: 0o600 });
    const before = stored(file).refreshToken;
    const runs = await Promise.all(Array.from({ length: 4 }, () => baton(['status'], file)));
    assert.deepEqual(
      runs.map(({ status, stdout }) => [status, /"agent":"scout"/.test(stdout)]),
      runs.map(() => [0, true]),
    );
    assert.notEqual(stored(file).refreshToken, before);
    assert.equal(
      taken(await node.client.listExternalAgents()).agents.find(({ agent }) => agent === 'scout')?.state,
      'enrolled',
    );
  });

  test('after it was revoked it is told so', async () => {
    await folder.json('invite', 'revoke', 'scout');
    const run = await baton(['status'], file);
    assert.deepEqual([run.status, linesOf<{ code: string }>(run)[0]?.code], [2, 'invalid_access_token']);
    assert.equal((await folder.run(['agents', '--json'])).stdout.includes('scout'), false);
    const listed = linesOf<{ agent: string; state: string }>(await folder.run(['agents', '--external', '--json']));
    assert.deepEqual(
      listed.map(({ agent, state }) => [agent, state]),
      [['scout', 'revoked']],
    );
  });
});

describe('connectExternalAgent', () => {
  test('takes part, and hears of its tasks as things happen', async () => {
    const file = join(scratch, 'listener.json');
    const agent = await connected(file, 'listener');
    const [last] = taken(await node.client.listEvents({ order: 'newest', limit: 1 })).events;
    const task = taken(await node.client.createTask({ title: 'Hear me', agent: 'listener' })).id;
    const heard = (async () => {
      for await (const event of agent.events({ after: last?.eventId ?? 0 }))
        if (event.type === 'task.created') return event.taskId;
      return null;
    })();
    assert.equal(await inTime(heard, 'the event'), task);
    const again = await connectExternalAgent({ identity: file });
    assert.ok(!isRefusal(again));
    const held = await again.claim(task);
    assert.ok(!isRefusal(held));
    const done = await again.complete(task, { outcome: 'done', run: held.run.id });
    assert.ok(!isRefusal(done) && done.task.status === 'review');
  });

  test('an access token that has ended is exchanged before the next call', async () => {
    const file = join(scratch, 'expired.json');
    const { identity } = await connected(file, 'expired');
    writeFileSync(file, JSON.stringify({ ...stored(file), accessToken: 'x.y.z' }), { mode: 0o600 });
    const agent = await connectExternalAgent({ identity: file });
    assert.ok(!isRefusal(agent));
    assert.ok(!isRefusal(await agent.status()));
    assert.equal(agent.identity.sessionId, identity.sessionId);
    assert.notEqual(stored(file).accessToken, 'x.y.z');
  });

  const tls = selfSigned(scratch, ['IP:127.0.0.1']);
  test('over TLS it knows the node by its certificate, and sends nothing to another', {
    skip: tls === null && 'there is no openssl',
  }, async () => {
    const path = join(scratch, 'tls');
    const settings = { http: { tls_cert: tls?.certFile, tls_key: tls?.keyFile } };
    mkdirSync(path);
    await new DataFolder(path).json('init');
    writeFileSync(join(path, 'config.yaml'), JSON.stringify(settings));
    const secure = await ExternalDaemon.start(path);
    const invited = taken(await secure.client.createInvite({ agent: 'remote', scopes: WORK }));
    assert.match(invited.url ?? '', /^https:/);
    const enrolment = { identity: join(scratch, 'remote.json'), url: invited.url ?? '', invite: invited.invite };
    const wrong = { ...enrolment, certSha256: (invited.certSha256 ?? '').replace(/^../, 'AA') };
    await assert.rejects(connectExternalAgent(wrong), /does not answer/);
    const agent = await connectExternalAgent({ ...enrolment, certSha256: invited.certSha256 ?? '' });
    assert.ok(!isRefusal(agent), JSON.stringify(agent));
    assert.ok(!isRefusal(await agent.status()));
  });
});
