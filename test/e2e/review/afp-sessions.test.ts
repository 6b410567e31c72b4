import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { request, reviewer, Stage } from '../../support/review/afp-stage.ts';
import { TestDaemon } from '../../support/test-daemon.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new Stage('sessions');
await stage.data.json('init');
stage.daemon = await TestDaemon.start(stage.data.path);
stage.configure();

describe('a session of baton afp', { skip: noBubblewrap }, () => {
  test('a changed configuration counts for the next session', async () => {
    const { session } = await stage.called(request(1), { agent: 'well' });
    stage.configure({ agents: { well: reviewer('dies') } });
    const again = await stage.called(request(2, '- a', []), { session });
    const next = await stage.called(request(1), { agent: 'well' });
    stage.configure();
    assert.deepEqual([again.response.status, next.response.status], ['success', 'error']);
  });

  test('two requests in one session at once: one is answered, the other is not due', async () => {
    const { session } = await stage.called(request(1), { agent: 'well' });
    const both = await Promise.all([1, 2].map(() => stage.called(request(2, '- a', []), { session })));
    assert.deepEqual(both.map(({ response }) => response.error?.code ?? 'success').toSorted(), [
      'INVALID_REQUEST',
      'success',
    ]);
  });
});

describe('baton afp without a node', { skip: noBubblewrap }, () => {
  test('goes on with its session after a restart, by the agent that it began with, and leaves no process behind', async () => {
    const stage = new Stage('alone');
    await stage.data.json('init');
    stage.configure();
    const first = await stage.answered(request(1), '--agent', 'stream');
    const second = await stage.answered(request(2, '- a', []), '--session', first.session);
    assert.equal(second.response.feedback?.general_summary, 'session tool-session-1');
    assert.equal(existsSync(join(stage.data.path, 'node.json')), false);
  });
});
