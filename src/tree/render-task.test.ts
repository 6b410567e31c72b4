import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aTask } from '../../test/support/task/a-task.ts';
import type { Run } from '../domain/task/run.ts';
import type { TaskName } from '../domain/task/task.ts';
import { decodeAof } from '../protocols/aof/decode.ts';
import { encodeAof } from '../protocols/aof/encode.ts';
import { renderTask } from './render-task.ts';

const ID = 'TASK-2026-02-09-057' as TaskName;
const AT = Date.parse('2026-02-09T20:55:00.000Z');

function aRun(given: Partial<Run> = {}): Run {
  return {
    id: 'run_1',
    taskId: ID,
    fence: 1,
    agent: 'swe-backend',
    status: 'running',
    startedAt: AT,
    endedAt: null,
    endReason: null,
    leaseExpires: { bootId: 'b', monotonicMs: 0 },
    leaseExpiresAt: AT + 600_000,
    heartbeatExpires: { bootId: 'b', monotonicMs: 0 },
    heartbeatExpiresAt: AT + 300_000,
    lastBeatAt: AT,
    beats: 0,
    process: null,
    result: null,
    ...given,
  };
}

const RESULT = {
  outcome: 'partial',
  summaryRef: 'outputs/summary.md',
  deliverables: ['src/foo.ts'],
  tests: { total: 10, passed: 8, failed: 2 },
  blockers: [],
  notes: '80% complete; needs final polish',
  completedAt: AT,
  agent: 'swe-backend',
} as const;

const HANDOFF = JSON.stringify({
  dueBy: '2026-02-10T12:00:00.000Z',
  taskId: ID,
  parentTaskId: 'TASK-2026-02-09-050',
  fromAgent: 'a',
  toAgent: 'b',
  ticket: 7,
  constraints: ['No new dependencies'],
});

const FULL = aTask({
  title: 'Fix: "it" — now',
  status: 'in-progress',
  routing: { agent: 'swe-backend', role: 'developer', team: 'platform', tags: ['api', 'true'] },
  resource: 'db #1',
  parentId: 'TASK-2026-02-09-050' as TaskName,
  dependsOn: ['TASK-2026-02-09-051' as TaskName],
  body: '\nAdd it.\n---\nstill the body\n',
  metadata: { reviewRequired: false, free: { deep: [1, null, 'x\ny'] } },
  sla: { hours: 4 },
  runId: 'run_2',
  fence: 2,
  revision: 9,
});

test('every file is read by the codec without a word, and would be written the same by it', () => {
  const runs = [aRun({ result: RESULT, status: 'completed' }), aRun({ id: 'run_2', fence: 2 })];
  const files = renderTask({ task: FULL, runs, handoff: HANDOFF, project: 'prj_1' });
  assert.deepEqual(
    files.map(({ path }) => path),
    [
      `tasks/in-progress/${ID}.md`,
      `runs/${ID}/attempts/1/run.json`,
      `runs/${ID}/attempts/1/run_heartbeat.json`,
      `runs/${ID}/attempts/1/run_result.json`,
      `runs/${ID}/run.json`,
      `runs/${ID}/run_heartbeat.json`,
      `tasks/in-progress/${ID}/inputs/handoff.json`,
      `tasks/in-progress/${ID}/inputs/handoff.md`,
    ],
  );
  for (const { path, text } of files.filter((file) => !file.path.endsWith('handoff.md'))) {
    const verdict = decodeAof(text, { fileName: path });
    assert.ok(verdict.verdict === 'accepted', `${path}: ${JSON.stringify(verdict)}`);
    assert.equal(encodeAof(verdict.message), text, path);
    assert.deepEqual(
      verdict.warnings.map((warning) => warning.path),
      path.endsWith('handoff.json') ? ['/ticket'] : [],
    );
  }
});

test('front matter and body hold all that the task has', () => {
  const [file] = renderTask({ task: FULL, runs: [aRun({ id: 'run_2', fence: 2 })], handoff: null, project: 'prj_1' });
  const verdict = decodeAof(file?.text ?? '', { kind: 'task' });
  assert.ok(verdict.verdict === 'accepted' && 'frontMatter' in verdict.message);
  const { frontMatter, body } = verdict.message;
  assert.equal(body, FULL.body);
  assert.deepEqual(
    { ...frontMatter, title: frontMatter.title },
    {
      schemaVersion: 1,
      id: ID,
      uid: FULL.uid,
      project: 'prj_1',
      title: FULL.title,
      status: 'in-progress',
      priority: 'normal',
      routing: FULL.routing,
      lease: {
        agent: 'swe-backend',
        runId: 'run_2',
        fence: 2,
        acquiredAt: '2026-02-09T20:55:00.000Z',
        expiresAt: '2026-02-09T21:05:00.000Z',
      },
      createdAt: '1970-01-01T00:00:00.000Z',
      updatedAt: '1970-01-01T00:00:00.000Z',
      lastTransitionAt: '1970-01-01T00:00:00.000Z',
      createdBy: 'operator',
      parentId: FULL.parentId,
      dependsOn: FULL.dependsOn,
      resource: 'db #1',
      revision: 9,
      sla: { hours: 4 },
      metadata: FULL.metadata,
    },
  );
});

test('what is not set is not there, and a run that has ended holds no lease', () => {
  const task = aTask({ runId: 'run_1', fence: 1 });
  const runs = [aRun({ status: 'failed', endedAt: AT + 1, endReason: 'stale_heartbeat' })];
  const [file, run] = renderTask({ task, runs, handoff: null, project: null });
  for (const key of ['project', 'routing', 'lease', 'parentId', 'dependsOn', 'resource', 'sla', 'metadata'])
    assert.doesNotMatch(file?.text ?? '', new RegExp(`^${key}:`, 'm'));
  const { status, metadata } = JSON.parse(run?.text ?? '');
  const expired = { expiredAt: '2026-02-09T20:55:00.001Z', expiredReason: 'stale_heartbeat' };
  assert.deepEqual({ status, metadata }, { status: 'failed', metadata: { runId: 'run_1', fence: 1, ...expired } });
});

test('only a name of the form of the document becomes a path', () => {
  for (const name of ['../../etc/passwd', 'TASK-1', 'TASK-2026-02-09-057/..', 'TASK-2026-02-09-057\n']) {
    const task = aTask({ id: name as TaskName });
    assert.throws(() => renderTask({ task, runs: [], handoff: null, project: null }), /is not a task name/);
  }
});
