import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TraceEntryView } from '../../../src/api/trace/trace-contract.ts';
import { RunStage, taskFor, until } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';

test('a node that is killed in the middle of a turn leaves each thought and each tool call with one end', {
  skip: noBubblewrap,
  timeout: 120_000,
}, async () => {
  const stage = await RunStage.up('trace-killed');
  const { root } = stage.repository();
  const order = taskFor('stops-in-a-turn', root, { execution_policy: { max_retries: 0 } });
  const { task, run } = await begun(stage, order);
  for (const life of ['second', 'third']) {
    process.kill(stage.daemon?.facts.pid ?? 0, 'SIGKILL');
    await stage.daemon?.ended;
    await stage.startNode();
    await until(async () => (await endsOf(stage, task, run)).length > 0);
    assert.deepEqual(await endsOf(stage, task, run), ['COMPLETED c1 timeout', 'turn 0 final'], life);
  }
});

/** Starts the order and waits until its run has begun a thought and a call. */
async function begun(stage: RunStage, order: object): Promise<{ readonly task: string; readonly run: string }> {
  const sent = await stage.data.run(['send', stage.write(order), '--json']);
  const { task } = JSON.parse(sent.stdout) as { readonly task: { readonly id: string } };
  let run = '';
  await until(async () => {
    const called = (await traceOf(stage, task.id)).find(({ type }) => type === 'TOOL_LIFECYCLE_INVOKED');
    run = called?.runId ?? '';
    return run !== '';
  });
  return { task: task.id, run };
}

async function traceOf(stage: RunStage, task: string): Promise<readonly TraceEntryView[]> {
  const { daemon } = stage;
  return daemon ? taken(await daemon.client.readTrace({ task })).entries : [];
}

/** The ends of thoughts and calls of one run. */
async function endsOf(stage: RunStage, task: string, run: string): Promise<string[]> {
  const own = (await traceOf(stage, task)).filter(({ runId }) => runId === run);
  return own
    .flatMap(({ type, message }) => {
      const payload = message.payload as Readonly<Record<string, unknown>> | undefined;
      if (type === 'THOUGHT_STREAM' && payload?.is_final) return [`turn ${payload.turn_index} final`];
      return type === 'TOOL_LIFECYCLE_COMPLETED' ? [`COMPLETED ${payload?.call_id} ${payload?.status}`] : [];
    })
    .sort();
}
