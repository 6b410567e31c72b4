import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeSessionReport, type OrderEnd, type SessionMember } from '../../domain/session/session-report.ts';
import type { TaskName } from '../../domain/task/task.ts';
import { decodeAop } from './decode.ts';
import { encodeSessionReport } from './encode-session-report.ts';

const SPENT = { provider: 'CODEX', model: 'gpt', costUsd: 0.18, tokensInput: 12_500, tokensOutput: 3_200 } as const;
const END: OrderEnd = {
  ...{ verdict: 'checked', isSkipped: false, stoppedBy: null, code: null, message: '', agent: 'emma', attempts: 1 },
  ...{ startedAt: 1_000, completedAt: 5_000, estimatedUsd: 0.15, spend: [SPENT] },
};
const MEMBER: SessionMember = {
  ...{ id: 'T-1', task: 'TASK-2026-02-09-001' as TaskName, title: 'one', status: 'done', agent: 'emma' },
  ...{ parent: null, depth: 0, after: [], runs: 1, round: 1, work: null, end: END, earlierSpend: [] },
};

test('the report of a session has the fields of the document, with its costs by provider and by model', () => {
  const session = { sessionId: 'S-1', name: '', pattern: 'SINGLE', stop: null, startedAt: 1_000 } as const;
  const { extensions, ...message } = encodeSessionReport(makeSessionReport({ ...session, members: [MEMBER] }), null);
  assert.deepEqual(Object.keys(extensions ?? {}), ['x_baton']);
  assert.deepEqual(message, {
    aop_version: '2.0.2-C',
    schema_version: '2.0.2',
    protocol_family: 'AOP',
    message_type: 'EVENT',
    event: 'SESSION_FINAL_REPORT',
    session_id: 'S-1',
    timestamp: '1970-01-01T00:00:05.000Z',
    workflow_pattern: 'SINGLE',
    final_signal: 'SUCCESS',
    totals: { tasks: 1, completed: 1, failed: 0, aborted: 0, skipped: 0 },
    tasks: [
      {
        ...{ task_id: 'T-1', agent: 'emma', state: 'COMPLETED', final_signal: 'SUCCESS' },
        ...{ attempts: 1, duration_seconds: 4, error_code: null },
      },
    ],
    delegation_graph: { nodes: [{ task_id: 'T-1', agent: 'emma', depth: 0 }], edges: [] },
    cost_summary: {
      ...{ estimated_cost_usd: 0.15, actual_cost_usd: 0.18, tokens_input: 12_500, tokens_output: 3_200 },
      ...{ by_provider: { CODEX: 0.18 }, by_model: { gpt: 0.18 } },
    },
  });
  assert.equal(decodeAop(JSON.stringify(message)).verdict, 'accepted');
});
