import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { type JoinedNode, NodeStage } from '../../support/federation/joined-nodes.ts';
import { linesOf } from '../../support/run-baton.ts';

interface Answer {
  readonly verdict: string;
  readonly code: string;
  readonly errors: readonly { readonly message: string }[];
}

const envelope = (kind: string, payload: object) => ({
  ...{ eventId: `evt_${kind}`, seq: 1, kind, sourceNodeId: 'left', sourceAgentId: 'emma', corrId: 'corr_1' },
  ...{ createdAt: '2026-02-25T16:22:10.123Z', payload, trace: { attempt: 1 } },
});
const ROUTELESS = envelope('task_create', { taskId: 'tsk_1', title: 'do it', toAgents: [] });
const LOST = envelope('message', { toAgents: ['nobody'], body: 'hello' });

describe('a route that is missing or leads to nobody', () => {
  const stage = new NodeStage('route-codes');
  let node: JoinedNode;

  before(async () => {
    node = await stage.node('left', { agents: { emma: { driver: 'demo' } } });
    await node.up();
  });

  const file = (message: object) => {
    const path = join(node.workspace, 'message.json');
    writeFileSync(path, JSON.stringify(message));
    return path;
  };

  async function post(path: string, body: object): Promise<[status: number, body: Answer & { error?: Answer }]> {
    const { url, token } = JSON.parse(readFileSync(join(node.path, 'node.json'), 'utf8'));
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return [answer.status, (await answer.json()) as Answer];
  }

  test('is no_route with the missing fields, by check, send and HTTP', async () => {
    for (const verb of ['check', 'send']) {
      const run = await node.run([verb, file(ROUTELESS), '--json']);
      const [answer] = linesOf<Answer>(run);
      assert.deepEqual([run.status, answer?.verdict, answer?.code], [2, 'malformed', 'no_route'], verb);
      assert.ok(answer?.errors.some(({ message }) => message.endsWith('missing_route_fields')));
    }
    const [status, { code }] = await post('/v1/messages', ROUTELESS);
    assert.deepEqual([status, code], [400, 'no_route']);
  });

  test('is invalid_targets with 400 by every door', async () => {
    const run = await node.run(['send', file(LOST), '--json']);
    assert.deepEqual([run.status, linesOf<Answer>(run)[0]?.code], [2, 'invalid_targets']);
    const [status, { code }] = await post('/v1/messages', LOST);
    assert.deepEqual([status, code], [400, 'invalid_targets']);
    for (const to of [['nobody'], ['all', 'emma'], []]) {
      const [mailed, { error }] = await post('/v1/federation/messages', { to, body: 'hello' });
      assert.deepEqual([mailed, error?.code], [400, 'invalid_targets'], to.join());
    }
  });
});
