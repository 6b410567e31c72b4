import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { eventually, type JoinedNode, NodeStage, sees } from '../../support/federation/joined-nodes.ts';
import { programOf } from '../../support/fixture-agents.ts';

interface ToldMessage {
  readonly event_id: string;
  readonly from: string;
  readonly node: string;
  readonly priority: string;
  readonly expects_reply: boolean;
  readonly body: string;
}

const KEEPS = { driver: 'process', command: ['node', programOf('keeps-its-task')], provider: 'OTHER', model: 'none' };

describe('a message for an agent', () => {
  const stage = new NodeStage('agent-mail');
  let left: JoinedNode;
  let right: JoinedNode;

  before(async () => {
    left = await stage.node('left', { agents: { emma: { driver: 'demo' } } });
    right = await stage.node('right', { agents: { critic: KEEPS, other: KEEPS } });
    for (const node of [left, right]) await node.up();
    await sees(left, 'right');
  });

  async function send(body: string, ...flags: string[]): Promise<string> {
    const sent = await left.json<{ envelope: { eventId: string } }>('message', 'send', 'critic', body, ...flags);
    const { eventId } = sent.envelope;
    await eventually(
      () => right.rows(`SELECT 1 FROM deliveries WHERE event_id = '${eventId}'`),
      (rows) => rows.length === 1,
      'the message',
    );
    return eventId;
  }

  /** The messages that the agent of a new task got with its prompt. */
  async function toldTo(agent: string): Promise<readonly ToldMessage[]> {
    const run = await right.order('do it', '--agent', agent, '--yes', '--json');
    assert.ok(run.status === 0 || run.status === 3, run.stdout + run.stderr);
    return messagesIn(right);
  }

  function messagesIn({ workspace }: JoinedNode, attempt = 1): readonly ToldMessage[] {
    const file = join(workspace, `got-${attempt}.json`);
    const task = JSON.parse(readFileSync(file, 'utf8')) as {
      task: { extensions?: { x_baton?: { messages?: readonly ToldMessage[] } } };
    };
    return task.task.extensions?.x_baton?.messages ?? [];
  }

  test('comes with its next prompt, once, the critical one first, and wakes nobody', async () => {
    const normal = await send('Build completed.', '--reply');
    const critical = await send('Stop the release.', '--priority', 'critical');
    assert.ok(!existsSync(join(right.workspace, 'got-1.json')), 'no agent was started');
    assert.deepEqual(await toldTo('other'), []);
    assert.deepEqual(
      (await toldTo('critic')).map((each) => [each.event_id, each.priority, each.expects_reply, each.body, each.node]),
      [
        [critical, 'critical', false, 'Stop the release.', 'left'],
        [normal, 'normal', true, 'Build completed.', 'left'],
      ],
    );
    assert.deepEqual(await toldTo('critic'), []);
  });

  test('that was taken as the node was killed comes with the prompt of the next run, once', async () => {
    const eventId = await send('Read this.');
    await right.run(['down']);
    const killed = await right.run(
      ['run', 'do it', '--workspace', right.workspace, '--agent', 'critic', '--yes', '--json'],
      { environment: { BATON_CRASH: 'message.taken:1' } },
    );
    assert.notEqual(killed.status, 0, killed.stdout + killed.stderr);
    assert.deepEqual(
      right.rows(`SELECT 1 FROM deliveries WHERE event_id = '${eventId}' AND told_by = 'prompt'`).length,
      1,
    );
    await right.up();
    await right.taskIs('review');
    assert.deepEqual(
      messagesIn(right, 2).map(({ event_id }) => event_id),
      [eventId],
    );
    assert.deepEqual(await toldTo('critic'), []);
  });
});
