import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PermissionAsked } from '../agent/agent-signal.ts';
import { decidePermission, type PermissionFacts } from './decide-permission.ts';

const RUN_TESTS: PermissionAsked = {
  tool: 'Bash',
  input: '{"command":"npm test"}',
  paths: [],
  access: 'command',
  reason: null,
  allow: 'yes',
  refuse: 'no',
};
const edit = (...paths: string[]): PermissionAsked => ({ ...RUN_TESTS, tool: 'Write', access: 'edit', paths });

function decide(permission: PermissionAsked, changes: Partial<PermissionFacts> = {}): string {
  const decision = decidePermission({
    permission,
    isSandboxed: false,
    workspace: '/ws',
    grant: {
      writePaths: ['/ws'],
      readOnlyPaths: ['/ws/baton.yaml'],
      hiddenPaths: ['/ws/.baton'],
      network: { level: 'RESTRICTED' },
    },
    whyUnattended: null,
    ...changes,
  });
  return decision.kind === 'ask' ? 'ask' : `${decision.kind}: ${decision.reason}`;
}

test('inside the sandbox nothing is asked, because the sandbox confines the agent', () => {
  for (const permission of [RUN_TESTS, edit('/etc/passwd'), edit('/ws/.baton/node.key')])
    assert.equal(decide(permission, { isSandboxed: true }), 'allow: the sandbox confines it to its grant');
});

test('without a sandbox an edit inside the grant is not asked, and everything else is', () => {
  assert.equal(decide(edit('/ws/src/a.ts')), 'allow: its task may write there');
  assert.equal(decide(edit('src/a.ts')), 'allow: its task may write there');
  for (const permission of [
    ...[RUN_TESTS, edit(), edit('/etc/passwd'), edit('/ws-evil/a'), edit('/ws/../etc/passwd'), edit('/ws/a', '/etc/b')],
    { ...edit('/ws/a'), access: 'command' as const },
    { ...edit('/ws/a'), access: 'other' as const },
  ])
    assert.equal(decide(permission), 'ask', JSON.stringify(permission));
});

test('policy refuses what no person may allow either', () => {
  assert.equal(decide(edit('/ws/.baton/node.key')), 'refuse: /ws/.baton/node.key belongs to Baton');
  assert.equal(
    decide({ ...RUN_TESTS, paths: ['.baton/ledger.sqlite'] }),
    'refuse: /ws/.baton/ledger.sqlite belongs to Baton',
  );
  assert.equal(decide(edit('/ws/baton.yaml')), 'refuse: its task may only read /ws/baton.yaml');
  const grant = { writePaths: ['/ws'], hiddenPaths: [], network: { level: 'NONE' } } as const;
  const fetch = { ...RUN_TESTS, tool: 'WebFetch', access: 'network' as const };
  assert.equal(decide(fetch, { grant }), 'refuse: its task may not use the network');
  assert.equal(decide(fetch), 'ask');
});

test('where nobody can be asked the answer is no, with the reason; the grant still counts', () => {
  const whyUnattended = 'nobody is there';
  assert.equal(decide(RUN_TESTS, { whyUnattended }), 'refuse: nobody is there');
  assert.equal(decide(edit('/ws/a'), { whyUnattended }), 'allow: its task may write there');
});
