import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS, type OperationName, SCOPES, type Scope } from './external-agent.ts';
import { judgeOperation } from './judge-operation.ts';

const TASK = 'TASK-2026-02-09-057';
const names = Object.keys(OPERATIONS) as OperationName[];

function kind(scopes: readonly Scope[], operation: string, { context = null as string | null, task = TASK } = {}) {
  const verdict = judgeOperation({ scopes, task: context }, operation, task);
  return verdict.kind === 'refusal' ? verdict.code : verdict.kind;
}

test('each scope allows its own operations and no others, admin included', () => {
  for (const scope of SCOPES) {
    assert.ok(
      names.some((name) => OPERATIONS[name].scope === scope),
      `${scope} allows nothing`,
    );
    for (const name of names)
      assert.equal(
        kind([scope], name),
        OPERATIONS[name].scope === scope ? 'allowed' : 'scope_denied',
        `${scope} ${name}`,
      );
  }
});

test('what is no operation is denied with every scope', () => {
  for (const operation of [
    '',
    'task',
    'task.*',
    'TASK.READ',
    'task.read ',
    'constructor',
    '__proto__',
    'toString',
    'task.cancel',
  ])
    assert.equal(kind(SCOPES, operation), 'scope_denied', operation);
});

test('a context token allows operations about its own task only', () => {
  const other = 'TASK-2026-02-09-058';
  for (const name of names) {
    const isAboutTask = OPERATIONS[name].isAboutTask;
    assert.equal(kind(SCOPES, name, { context: TASK }), isAboutTask ? 'allowed' : 'scope_denied', name);
    assert.equal(kind(SCOPES, name, { context: TASK, task: other }), 'scope_denied', name);
  }
});
