import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { access, admit, answer, refusalText } from '../../../test/support/order/admission.ts';
import { anOrder } from '../../../test/support/order/an-order.ts';
import { isRefusal } from '../refusal.ts';
import type { Order } from './order.ts';

const target = (some: Partial<Order['target']>): Partial<Order> => ({ target: { ...anOrder().target, ...some } });

test('an order that fits is admitted, with who does it and in which sandbox', () => {
  assert.deepEqual(admit({}), {
    kind: 'admitted',
    agent: 'emma',
    alternatives: [],
    sandbox: 'bubblewrap',
    warnings: [],
    fallback: null,
  });
});

describe('who answers', () => {
  test('says how to install the agent of a vendor that is not there', () => {
    const unready = [{ name: 'gemini', missing: 'npm i -g @google/gemini-cli', isAbsent: true }];
    const found = admit(target({ agentName: 'gemini', model: 'gemini' }), { unready });
    assert.ok(isRefusal(found));
    assert.match(found.message, /^gemini is not installed: npm i -g @google\/gemini-cli$/);
  });

  const other = { provider: 'OTHER', model: 't' } as const;
  const rows: [string, Partial<Order['target']>, string][] = [
    ['a name wins over provider and model', { agentName: 'tester' }, 'admitted tester'],
    ['else provider and model must both be the same', { agentName: 'nobody' }, 'admitted emma'],
    ['not the model alone', { agentName: 'nobody', provider: 'GEMINI' }, 'E_AGENT_NOT_FOUND agent'],
    ['not the provider alone', { agentName: 'nobody', model: 'other' }, 'E_AGENT_NOT_FOUND agent'],
    ['the demo agent by its name', { agentName: 'demo', ...other }, 'admitted demo'],
    [
      'the demo agent not by what it is',
      { agentName: 'nobody', provider: 'LOCAL', model: 'demo' },
      'E_AGENT_NOT_FOUND agent',
    ],
  ];
  for (const [name, wanted, want] of rows) test(name, () => assert.equal(answer(target(wanted)), want));

  test('nobody: the refusal says what was looked for, and who is there', () => {
    const found = admit(target({ agentName: 'forge', provider: 'GEMINI', model: 'g-2' }));
    assert.ok(isRefusal(found));
    assert.match(found.message, /forge.*GEMINI.*g-2/);
    assert.deepEqual(found.details, ['emma: CODEX, gpt', 'tester: OTHER, t', 'demo: LOCAL, demo']);
  });

  test('an alternative answers for a target that is not there, if that failure triggers it', () => {
    const nobody = target({ agentName: 'forge', provider: 'GEMINI', model: 'g-2' });
    for (const trigger of ['first-error', 'critical-error', 'all-errors'] as const) {
      const found = admit({ ...nobody, alternatives: [{ provider: 'OTHER', model: 't', trigger }] });
      assert.ok(!isRefusal(found), trigger);
      assert.deepEqual([found.agent, found.alternatives], [null, ['tester']]);
    }
    for (const trigger of ['timeout', 'cost-limit-exceeded'] as const) {
      const found = answer({ ...nobody, alternatives: [{ provider: 'OTHER', model: 't', trigger }] });
      assert.equal(found, 'E_AGENT_NOT_FOUND agent', trigger);
    }
    const absent = { provider: 'CLAUDE', model: 'c', trigger: 'first-error' } as const;
    assert.equal(answer({ ...nobody, alternatives: [absent] }), 'E_AGENT_NOT_FOUND agent');
  });

  test('alternatives that are not there are null, in their places', () => {
    const found = admit({
      alternatives: [
        { provider: 'CLAUDE', model: 'c', trigger: 'first-error' },
        { provider: 'OTHER', model: 't', trigger: 'timeout' },
        { provider: 'LOCAL', model: 'demo', trigger: 'timeout' },
      ],
    });
    assert.deepEqual(!isRefusal(found) && found.alternatives, [null, 'tester', null]);
  });
});

describe('without a network', () => {
  test('a remote model is refused, one on this machine is not', () => {
    assert.equal(answer(access({ network: 'NONE' })), 'E_PERMISSION_DENIED model');
    assert.equal(answer({ ...access({ network: 'NONE' }), ...target({ agentName: 'tester' }) }), 'admitted tester');
  });
  test('a remote alternative does not answer', () => {
    const alternatives = [{ provider: 'CODEX', model: 'gpt', trigger: 'first-error' }] as const;
    const found = admit({ ...access({ network: 'NONE' }), ...target({ agentName: 'tester' }), alternatives });
    assert.deepEqual(!isRefusal(found) && found.alternatives, [null]);
  });
});

describe('depth', () => {
  test('three times handed down is allowed', () => assert.equal(answer({}, { depth: 3 }), 'admitted emma'));
  test('four times is not', () => {
    assert.equal(answer({}, { depth: 4 }), 'E_MAX_DEPTH_EXCEEDED parent');
  });
  test('by itself is not', () => {
    const circle = { taskId: 'T-1', parentTaskId: 'T-1' };
    assert.equal(answer(circle), 'E_SCHEMA_VALIDATION parent');
  });
});

describe('the sandbox', () => {
  const none = { sandbox: { kind: 'missing', reason: 'bwrap is not installed' } } as const;
  test('demanded and missing: refused, with the reason', () => {
    const found = admit({ isSandboxDemanded: true }, none);
    assert.ok(isRefusal(found));
    assert.equal(refusalText(found), 'E_PERMISSION_DENIED access');
    assert.match(found.message, /bwrap is not installed/);
  });
  test('demanded and switched off: refused', () => {
    const off = { sandbox: { kind: 'there', name: 'none' } } as const;
    assert.equal(answer({ isSandboxDemanded: true }, off), 'E_PERMISSION_DENIED access');
  });
  test('missing and not demanded: admitted with a warning, behind those of the message', () => {
    const warning = { kind: 'message', code: 'near-size-limit', path: '/phases', message: 'many' } as const;
    const found = admit({}, { ...none, warnings: [warning] });
    assert.ok(!isRefusal(found));
    assert.equal(found.sandbox, 'none');
    const open = { kind: 'not-sandboxed', code: null, path: null, message: 'not sandboxed: bwrap is not installed' };
    assert.deepEqual(found.warnings, [warning, open]);
  });
});
