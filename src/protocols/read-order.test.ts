import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { sampleResponse, sampleTask } from '../../test/support/message/aop-samples.ts';
import { someTerms } from '../../test/support/order/some-terms.ts';
import { decideOrder, type OrderTerms } from '../domain/order/decide-order.ts';
import { isRefusal, type Refusal, refuse, refuseField } from '../domain/refusal.ts';
import { decodeAop, decodeAopValue } from './aop/decode.ts';
import { encodeAop } from './aop/encode.ts';
import { encodeVersionFallback } from './aop/encode-event.ts';
import { readStoredMessage, taskOfOrder } from './aop/read-task-order.ts';
import { locateOrder, readOrder } from './read-order.ts';

const TERMS = someTerms();

/** The order, and the TASK that its agent is given. */
function read(text: string, terms = TERMS) {
  const found = readOrder(text, terms);
  assert.ok(!isRefusal(found), isRefusal(found) ? found.message : '');
  // An order that was stored without its message is launched with the same TASK.
  const order = decideOrder(found, terms);
  assert.deepEqual(readStoredMessage(order, found.provenance, TERMS.createdAt), found.message);
  const task = taskOfOrder(order, found.message, TERMS.createdAt);
  const verdict = decodeAop(encodeAop(task));
  assert.equal(verdict.verdict, 'accepted', JSON.stringify(verdict));
  return { ...found, ...(found.notes ?? { warnings: [], fallback: null }), order, task };
}

function refused(text: string): Refusal {
  const found = readOrder(text, TERMS);
  assert.ok(isRefusal(found));
  return found;
}

test('a TASK that its receiver has decoded is not decoded again', () => {
  const decoded = { message: sampleTask(), warnings: [] };
  const found = readOrder('{"is": "not read"}', TERMS, decoded);
  assert.ok(!isRefusal(found));
  assert.deepEqual([found.message, found.isProgram], [sampleTask(), true]);
});

test('a TASK is accepted as it is', () => {
  const text = JSON.stringify(sampleTask());
  const { task, provenance, isProgram, fallback, warnings } = read(text);
  assert.deepEqual({ task, provenance }, { task: sampleTask(), provenance: { protocol: 'aop', text } });
  assert.deepEqual({ isProgram, fallback, warnings }, { isProgram: true, fallback: null, warnings: [] });
});

test('tasks that it waits for are read from its extension, and must be names', () => {
  const waiting = (x_depends_on: unknown) => JSON.stringify(sampleTask({ extensions: { x_depends_on } as never }));
  assert.deepEqual(read(waiting(['T-0'])).dependsOn, ['T-0']);
  assert.equal(refused(waiting('T-0')).path, '/task/extensions/x_depends_on');
  assert.equal(refused(waiting(['T-0', 7])).path, '/task/extensions/x_depends_on/1');
});

test('a TASK of a later 2.x is an order, without what is not known of it', () => {
  const later = { ...sampleTask(), aop_version: '2.1.0', mood: 'calm' };
  const { message, fallback, warnings } = read(JSON.stringify(later));
  assert.deepEqual({ message, fallback }, { message: { ...sampleTask(), aop_version: '2.1.0' }, fallback: null });
  assert.deepEqual(
    warnings.map(({ path }) => path),
    ['/mood'],
  );
  assert.notEqual(read(JSON.stringify({ ...later, aop_version: '2.0.2-C' })).fallback, null);
});

test('extensions that are not known change nothing of an order', () => {
  const plain = read(JSON.stringify(sampleTask()));
  const extended = read(JSON.stringify(sampleTask({ extensions: { x_mood: ['T-0'] } })));
  assert.deepEqual(extended.order, plain.order);
  assert.deepEqual([extended.dependsOn, extended.warnings], [plain.dependsOn, []]);
});

test('what a TASK says too much of is warned about', () => {
  const objective = 'x'.repeat(40_001);
  assert.equal(read(JSON.stringify(sampleTask({ objective }))).warnings[0]?.code, 'E_PAYLOAD_SIZE_WARNING');
});

test('plain words become the objective of a TASK with defaults', () => {
  const { task, isProgram, provenance } = read('  add tests for src/money.ts\n');
  assert.deepEqual({ isProgram, provenance }, { isProgram: false, provenance: null });
  assert.deepEqual(task, {
    aop_version: '2.0.2-C',
    schema_version: '2.0.2',
    protocol_family: 'AOP',
    message_type: 'TASK',
    session: {
      session_id: 'S-9',
      created_at: '2026-11-16T00:00:00.000Z',
      orchestrator: 'baton',
      origin: 'CLI',
      workflow_pattern: 'SINGLE',
    },
    target: { agent_name: 'emma', role: 'EXECUTOR', provider: 'CODEX', model: 'gpt' },
    task: {
      task_id: 'TASK-2026-11-16-001',
      objective: 'add tests for src/money.ts',
      category: 'OTHER',
      complexity: 'MEDIUM',
      environment: { workspace_root: '/here' },
    },
  });
});

describe('v1 markdown', () => {
  test('gives its objective, what can be read of the rest, and its words whole', () => {
    const text = [
      '# ORCHESTRATION_TASK',
      '**PROTOCOL:** AOP v1',
      '- **Category:** testing',
      '- **Complexity:** high',
      '- **Priority:** whenever',
      '## Objective',
      'Add tests.',
      '## Context',
      'Money is counted in cents.',
    ].join('\n');
    const { task } = read(text).task;
    assert.equal(task.objective, 'Add tests.');
    assert.equal(task.category, 'TESTING');
    assert.equal(task.complexity, 'HIGH');
    assert.equal(task.priority, undefined);
    assert.equal(task.inputs?.[0]?.content, text);
  });
  test('without a section for it, what stands there is the objective', () => {
    assert.equal(read('# ORCHESTRATION_TASK\n\nFix the login.').task.task.objective, 'Fix the login.');
  });
  test('that says nothing is refused', () => {
    assert.equal(refused('# ORCHESTRATION_TASK\n\n**PROTOCOL:** AOP v1\n').code, 'E_PARSE_FAILURE');
  });
  for (const name of ['heading', 'labels', 'labels-bold', 'numbered-sections', 'protocol-line']) {
    test(`the document of the corpus, ${name}, can be run`, () => {
      const file = new URL(`../../test/corpus/aop/accepted/v1-${name}.md`, import.meta.url);
      assert.ok(read(readFileSync(file, 'utf8')).task.task.objective.length > 0);
    });
  }
});

describe('refused', () => {
  const big = sampleTask({ objective: 'x'.repeat(210_000) });
  const rows: [string, string, string][] = [
    ['nothing', ' \n', 'E_PARSE_FAILURE'],
    ['JSON that is no message', '{"a":1}', 'E_PARSE_FAILURE'],
    ['a list', '[1]', 'E_PARSE_FAILURE'],
    ['JSON that breaks off', '{"aop_version":"2.0.2-C"', 'E_PARSE_FAILURE'],
    ['a RESPONSE', JSON.stringify(sampleResponse()), 'E_PARSE_FAILURE'],
    ['a TASK that is too large', JSON.stringify(big), 'E_CONTEXT_OVERFLOW'],
    [
      'a TASK with too many inputs',
      JSON.stringify(sampleTask({ inputs: Array(101).fill({ type: 'TEXT' }) })),
      'E_CONTEXT_OVERFLOW',
    ],
    ['too many words', `do ${'x'.repeat(210_000)}`, 'E_CONTEXT_OVERFLOW'],
    ['a TASK without an objective', JSON.stringify({ ...sampleTask(), task: { task_id: 'T' } }), 'E_SCHEMA_VALIDATION'],
    ['a wrong RESPONSE', JSON.stringify({ ...sampleResponse(), agent: null }), 'E_MALFORMED_RESPONSE'],
  ];
  for (const [name, text, code] of rows) test(name, () => assert.equal(refused(text).code, code));

  test('with the first problem as its place, and the others told', () => {
    const { session, target, ...rest } = sampleTask();
    const found = refused(JSON.stringify({ ...rest, task: { task_id: 'T' } }));
    assert.ok(found.path.startsWith('/'), found.path);
    assert.ok((found.problems?.length ?? 0) >= 2);
  });
});

describe('a TASK that fails its schema', () => {
  const sent = {
    ...sampleTask({
      complexity: 'HARD' as never,
      access: { filesystem: { read_paths: ['/work/docs'] }, network: 'NOTHING' as never },
      constraints: { max_tokens: 5, network_access: 'NONE', read_only_mode: 'yes' as never },
      budgets: { max_cost_usd: 1 },
      expected_outputs: [{ type: 'FILE', path: 'a', description: 'the file' }],
    }),
    execution_policy: { max_retries: 9 },
  };

  test('goes on as v1, with ids, target, workspace and every bound that can be read', () => {
    const { task, fallback, isProgram } = read(JSON.stringify(sent));
    assert.equal(isProgram, true);
    assert.equal(task.session.session_id, 'AOP-SESSION-1');
    assert.equal(task.task.task_id, 'T-1');
    assert.equal(task.target.agent_name, 'swe-backend');
    assert.equal(task.task.environment.workspace_root, '/work');
    assert.equal(task.task.category, 'CODE_GENERATION');
    assert.equal(task.task.complexity, 'MEDIUM');
    assert.deepEqual(task.task.access, { filesystem: { read_paths: ['/work/docs'] } });
    assert.deepEqual(task.task.constraints, { max_tokens: 5, network_access: 'NONE' });
    assert.deepEqual(task.task.budgets, { max_cost_usd: 1 });
    assert.equal(task.execution_policy, undefined);
    assert.equal(task.task.expected_outputs, undefined);
    assert.equal(fallback?.reason, 'invalid-message');
    assert.equal(fallback?.taskId, 'T-1');
    assert.equal(decodeAopValue(fallback && encodeVersionFallback(fallback)).verdict, 'accepted');
  });

  test('keeps the prompt that its agent is given', () => {
    const baton = read(JSON.stringify(sent)).task.task.extensions?.x_baton as { v1_prompt: string };
    assert.match(baton.v1_prompt, /Add user endpoints[\s\S]*the file/);
  });

  test('is an order with the least rights', () => {
    const { order } = read(JSON.stringify(sent));
    assert.deepEqual(order.access, { readPaths: ['/work/docs'], writePaths: [], readOnlyPaths: [], network: 'NONE' });
    assert.equal(order.budget.tokensMax, 5);
  });

  test('with nothing readable but an objective is for the agent and the folder of the caller', () => {
    const { task } = read('{"aop_version":"2.0.2-C","message_type":"TASK","task":{"objective":"look"}}');
    assert.equal(task.target.agent_name, 'emma');
    assert.equal(task.task.environment.workspace_root, '/here');
    assert.equal(task.task.task_id, 'TASK-2026-11-16-001');
  });

  test('with a model but no name is not for the agent that the caller would have chosen', () => {
    const { agent_name, ...target } = sampleTask().target;
    assert.equal(read(JSON.stringify({ ...sampleTask(), target })).task.target.agent_name, 'unnamed');
  });

  test('that does not even say what it is goes on by its objective', () => {
    const { message_type, ...rest } = sampleTask();
    assert.notEqual(read(JSON.stringify(rest)).fallback, null);
  });

  test('whose prompt would make it too large is written anew from what was taken over', () => {
    const task = { ...sampleTask({ objective: 'x'.repeat(150_000) }), phases: 'none' };
    const found = read(JSON.stringify(task));
    assert.equal(found.task.task.extensions, undefined);
    assert.equal(found.task.task.objective.length, 150_000);
  });
});

describe('bounds of the caller', () => {
  const bounded = (said: object, bounds: Partial<OrderTerms>) =>
    read(JSON.stringify({ ...sampleTask(), ...said }), someTerms(bounds));

  test('are added, and the agent is told', () => {
    const { order, task } = bounded({}, { timeoutSeconds: 9, costUsdMax: 2 });
    assert.equal(order.policy.timeoutSeconds, 9);
    assert.equal(order.budget.costUsdMax, 2);
    assert.equal(task.guard_rails?.timeout_seconds, 9);
    assert.equal(task.task.budgets?.max_cost_usd, 2);
  });
  test('never widen what the order says', () => {
    const { task } = sampleTask({ budgets: { max_cost_usd: 1, max_tokens: 3 } });
    const said = { task, execution_policy: { timeout_seconds: 5 } };
    const wide = bounded(said, { timeoutSeconds: 9, costUsdMax: 2 });
    assert.equal(wide.order.policy.timeoutSeconds, 5);
    assert.deepEqual(wide.order.budget, { costUsdMax: 1, tokensMax: 3 });
    assert.equal(bounded(said, { timeoutSeconds: 4 }).order.policy.timeoutSeconds, 4);
  });
  test('hold for a TASK that failed its schema, too', () => {
    assert.equal(bounded({ phases: 'none' }, { timeoutSeconds: 4 }).order.policy.timeoutSeconds, 4);
  });
  test('name the agent', () => {
    const { order, task } = bounded({}, { agentName: 'forge' });
    assert.equal(order.target.agentName, 'forge');
    assert.equal(task.target.agent_name, 'forge');
  });
});

test('a refusal of words points into the request, that of a TASK into the TASK', () => {
  const refusal = refuseField('agent-not-found', 'nobody is called so', { kind: 'agent' });
  assert.equal(locateOrder(refusal, 'do it').path, '/agent');
  assert.equal(locateOrder(refusal, null).path, '/agent');
  assert.equal(locateOrder(refusal, '{"message_type":"TASK"}').path, '/target/agent_name');
  assert.equal(locateOrder(refuse('resource_busy', 'wait', '/x'), 'do it').path, '/x');
});
