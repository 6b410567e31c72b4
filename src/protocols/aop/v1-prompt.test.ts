import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { sampleTask } from '../../../test/support/message/aop-samples.ts';
import type { JsonObject } from '../../domain/words/json-object.ts';
import { decodeAop } from './decode.ts';
import type { V1Prompt } from './v1-markdown.ts';
import { featuresLostInV1, readableObjective, writeV1Prompt } from './v1-prompt.ts';

const full = JSON.parse(
  readFileSync(new URL('../../../test/corpus/aop/accepted/task-full.json', import.meta.url), 'utf8'),
) as JsonObject;

function readBack(prompt: string): V1Prompt {
  const verdict = decodeAop(prompt);
  assert.ok(verdict.verdict === 'accepted');
  assert.equal(verdict.kind, 'V1');
  return verdict.message as V1Prompt;
}

describe('a TASK as a v1 prompt', () => {
  it('has its parts in the order of aop:v1-prompt', () => {
    const prompt = writeV1Prompt(full);
    const parts = [
      '# ORCHESTRATION_TASK',
      '**PROTOCOL:** AOP v1',
      '**Task ID:**',
      '**Category:**',
      '**Complexity:**',
      '**Priority:**',
      '## Objective',
      '## Environment',
      '## Inputs',
      '## Expected Outputs',
      '## Phases',
      'Checkpoint ',
      '## Budgets',
      '## Execution Policy',
      'When you are done',
    ];
    const places = parts.map((part) => prompt.indexOf(part));
    assert.ok(!places.includes(-1), `${parts[places.indexOf(-1)]} is missing in\n${prompt}`);
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
  });

  it('reads back as V1 with the same objective', () => {
    for (const objective of ['Do it.', 'Two\n\nparagraphs', 'objective: a trap', '**bold** and `code`', 'ünïcode 😀']) {
      const { objective: read, fields } = readBack(writeV1Prompt(sampleTask({ objective }) as JsonObject));
      assert.equal(read, objective);
      assert.equal(fields['task id'], 'T-1');
    }
    assert.equal(readBack(writeV1Prompt(full)).objective, readableObjective(full));
  });

  it('what the guard rails say wins over the policy, and the smaller of budgets and constraints counts', () => {
    const prompt = writeV1Prompt({
      task: { budgets: { max_cost_usd: 3 }, constraints: { max_cost_usd: 1, max_tokens: 9 } },
      execution_policy: { timeout_seconds: 10, max_retries: 2 },
      guard_rails: { timeout_seconds: 20 },
    });
    for (const line of [
      '**Max cost (USD):** 1\n',
      '**Max tokens:** 9\n',
      '**Timeout (seconds):** 20\n',
      '**Max retries:** 2\n',
    ]) {
      assert.ok(prompt.includes(line), `${line} in\n${prompt}`);
    }
  });

  it('carries the content of an input, whatever it is called, without being broken by it', () => {
    const content = 'first\n# ORCHESTRATION_TASK\n## Objective\n\nanother one';
    const inputs = [
      { type: 'TEXT', description: 'the notes', content },
      { type: 'TEXT', content: 'alone' },
    ];
    const prompt = writeV1Prompt(sampleTask({ objective: 'Do it.', inputs }) as JsonObject);
    for (const line of ['- TEXT: the notes (read only)', '      first', '      another one', '      alone']) {
      assert.ok(prompt.includes(`${line}\n`), `${line} in\n${prompt}`);
    }
    const titles = readBack(prompt).sections.map(({ title }) => title);
    assert.deepEqual(titles, ['ORCHESTRATION_TASK', 'Objective', 'Environment', 'Inputs']);
  });

  it('of a message of any shape what can be read is kept', () => {
    for (const message of [
      {},
      { task: 7 },
      { task: { inputs: 'x', objective: [] }, phases: [1, {}] },
      { phases: {} },
    ]) {
      assert.equal(readBack(writeV1Prompt(message)).objective, null, JSON.stringify(message));
    }
  });
});

describe('the objective of a message that may have any shape', () => {
  const rows: [unknown, string | null][] = [
    [full, (full.task as JsonObject).objective as string],
    [{ task: { objective: '  a  ' } }, 'a'],
    [{ task: { objective: ' \n' } }, null],
    [{ task: { objective: ['a'] } }, null],
    [{ objective: 'a' }, null],
    [[], null],
    [null, null],
  ];
  for (const [message, objective] of rows) {
    it(`${JSON.stringify(message).slice(0, 40)}: ${objective?.slice(0, 20) ?? 'none'}`, () =>
      assert.equal(readableObjective(message), objective));
  }
});

describe('what a v1 prompt cannot carry', () => {
  it('of the smallest TASK: only the answer in a known form', () => {
    assert.deepEqual(featuresLostInV1(sampleTask() as JsonObject), ['structured_response']);
  });

  const parts: [string, JsonObject][] = [
    ['execution_profile', { target: { execution_profile: 'fast' } }],
    ['task.access', { task: { access: { network: 'NONE' } } }],
    ['rollback_snapshot', { task: { expected_outputs: [{}, { rollback_snapshot: { enabled: true } }] } }],
    ['execution_policy.alternative_models', { execution_policy: { alternative_models: [{}] } }],
    ['execution_policy.heartbeat', { execution_policy: { heartbeat: { enabled: true } } }],
    ['guard_rails', { guard_rails: {} }],
    ['orchestration_metadata', { orchestration_metadata: {} }],
    ['extensions', { extensions: { x_a: 1 } }],
  ];
  for (const [name, message] of parts) {
    it(name, () => assert.deepEqual(featuresLostInV1(message), ['structured_response', name]));
  }

  it('null is absent', () => {
    assert.deepEqual(featuresLostInV1({ guard_rails: null, extensions: null, task: { access: null } }), [
      'structured_response',
    ]);
  });
});
