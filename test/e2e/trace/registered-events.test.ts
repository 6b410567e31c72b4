import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { linesOf } from '../../support/run-baton.ts';
import { RunStage, taskFor } from '../../support/run-stage.ts';
import { eventText } from '../../support/trace/saop-messages.ts';

/** An event that the types of SAOP do not have. */
const ownText = (payload: object) => eventText(payload as Parameters<typeof eventText>[0]);

const stage = await RunStage.alone('registered-events');
const PERCENT = { type: 'number', minimum: 0, maximum: 100 };
stage.configure({
  event_types: { COVERAGE_MEASURED: { type: 'object', properties: { percent: PERCENT }, required: ['percent'] } },
});

test('an agent adds events of a registered type; others are refused with a reason, and the run goes on', async () => {
  const good = ownText({ type: 'COVERAGE_MEASURED', percent: 81.5 });
  const texts = [
    good,
    ownText({ type: 'COVERAGE_MEASURED', percent: 101 }),
    ownText({ type: 'MOOD_CHANGED', to: 'good' }),
    ownText({ type: 'COVERAGE_MEASURED', percent: 90 }),
  ];
  const { root } = stage.repository();
  const objective = JSON.stringify(texts);
  const { own, response } = await stage.run(taskFor('prints-messages', root, { task: { objective } }));
  assert.equal(response.task_status.state, 'COMPLETED');
  const messages = linesOf<{ payload: { percent: number } }>(
    await stage.data.run(['trace', own.task, '--type', 'COVERAGE_MEASURED', '--json']),
  );
  assert.deepEqual(
    messages.map(({ payload }) => payload.percent),
    [81.5, 90],
  );
  const { stdout: log } = await stage.data.run(['logs', own.task]);
  assert.match(log, /not accepted: malformed, invalid_event: payload\.percent: does not fit: 101 is greater than 100/);
  assert.match(log, /not accepted: malformed, invalid_event: payload\.type: "MOOD_CHANGED" is not one of/);
  assert.match((await stage.data.run(['trace', own.task])).stdout, /COVERAGE_MEASURED {2}.*81\.5/);

  const file = join(stage.folder, 'events.ndjson');
  writeFileSync(file, `${good}\n`);
  assert.equal((await stage.data.run(['check', file, '--as', 'saop'])).status, 0);
  writeFileSync(file, `${texts[2]}\n`);
  assert.equal((await stage.data.run(['check', file, '--as', 'saop'])).status, 2);
  // The types of a run are those that its order was accepted with.
  stage.configure({});
  const sent = await stage.data.run(['send', '-', '--run', own.run ?? '', '--json'], { input: texts[1] ?? '' });
  assert.deepEqual([sent.status, JSON.parse(sent.stdout).errors[0].path], [2, '/payload/percent']);
});

test('a payload that a run prints without its wrapper is an event all the same', async () => {
  const timestamp = new Date().toISOString();
  const thought = { type: 'THOUGHT_STREAM', agent_id: 'developer', turn_index: 0, chunk: 'hm', is_final: true };
  const payloads = [
    thought,
    { type: 'SANDBOX_PULSE', line: 'a line of its own', masked: false, timestamp },
    { type: 'TOOL_LIFECYCLE_INVOKED', call_id: 'c1', tool: 'bash', arguments: {}, timestamp },
    { type: 'TOOL_LIFECYCLE_COMPLETED', call_id: 'c1', tool: 'bash', status: 'success', duration_ms: -1, timestamp },
  ];
  const { root } = stage.repository();
  const objective = JSON.stringify(payloads.map((payload) => JSON.stringify(payload)));
  const { own } = await stage.run(taskFor('prints-messages', root, { task: { objective } }));
  const trace = await stage.data.run(['trace', own.task, '--json']);
  const told = linesOf<{ payload: { type: string; line?: string; status?: string } }>(trace)
    .map(({ payload }) => payload)
    .filter(({ type }) => type !== 'TASK_TRANSITION');
  // A duration below zero is refused: that line is output, and the call never returned.
  assert.deepEqual(
    told.map(({ type, line, status }) => [type, line ?? status]),
    [
      ['THOUGHT_STREAM', undefined],
      ['SANDBOX_PULSE', 'a line of its own'],
      ['TOOL_LIFECYCLE_INVOKED', undefined],
      ['SANDBOX_PULSE', JSON.stringify(payloads[3])],
      ['TOOL_LIFECYCLE_COMPLETED', 'timeout'],
    ],
  );
  const file = join(stage.folder, 'wrapped.ndjson');
  writeFileSync(file, trace.stdout);
  assert.equal((await stage.data.run(['check', file, '--as', 'saop'])).status, 0);
  assert.match((await stage.data.run(['logs', own.task])).stdout, /not accepted: .*duration_ms: -1 must be at least 0/);
});

test('a type of SAOP itself, and a schema that cannot be used, are no setting', async () => {
  for (const [key, value] of [
    ['event_types.SANDBOX_PULSE', '{ type: object }'],
    ['event_types.MY_EVENT', '{ type: thing }'],
  ] as const) {
    const { status, stderr } = await stage.data.run(['config', 'set', key, value]);
    assert.equal(status, 2);
    assert.match(stderr, /event_types\./);
  }
});
