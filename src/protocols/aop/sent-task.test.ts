import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal } from '../../domain/refusal.ts';
import { addressOfTask, packTask, unpackTask } from './sent-task.ts';

const ROOT = '/home/jane/shop';

function taskWith(more: object = {}): object {
  return {
    ...{ aop_version: '2.0.2-C', schema_version: '2.0.2', protocol_family: 'AOP', message_type: 'TASK' },
    session: { session_id: 's', created_at: '2026-02-25T16:00:00.000Z', orchestrator: 'x', origin: 'API' },
    target: { agent_name: 'emma@tower', role: 'EXECUTOR', provider: 'CLAUDE', model: 'm' },
    task: {
      ...{ task_id: 't', objective: 'do it', category: 'OTHER', complexity: 'LOW' },
      environment: { workspace_root: ROOT, git_branch: 'main' },
      ...more,
    },
  };
}

const PLACE = { workspaceRoot: '/data/work-1', sessionId: 'ses_1', more: 'how it is done here' };

test('the paths of a TASK go along relative to its workspace, and mean the folder there', () => {
  const packed = packTask(
    taskWith({
      inputs: [
        { type: 'FILE', path: `${ROOT}/src/a.ts` },
        { type: 'FILE', path: './b.ts' },
      ],
      access: { filesystem: { read_paths: [ROOT], write_paths: [`${ROOT}/out/`] } },
      extensions: { x_path: { path: '/etc/passwd' } },
    }),
    `${ROOT}/`,
  );
  assert.ok(!isRefusal(packed), JSON.stringify(packed));
  const unpacked = unpackTask(packed, PLACE);
  assert.ok(!isRefusal(unpacked), JSON.stringify(unpacked));
  const { task, session } = JSON.parse(unpacked.text);
  assert.deepEqual(
    task.inputs.map(({ path }: { path: string }) => path),
    ['src/a.ts', 'b.ts'],
  );
  assert.deepEqual(task.access.filesystem, { read_paths: ['.'], write_paths: ['out'] });
  assert.deepEqual([task.environment, session.session_id], [{ workspace_root: '/data/work-1' }, 'ses_1']);
  assert.equal(task.objective, 'do it\n\nhow it is done here');
  assert.equal(unpacked.target.agentName, 'emma@tower');
});

test('a TASK that names other places of its machine stays there', () => {
  const output = { type: 'FILE', path: 'o', description: 'it' };
  const cases: readonly (readonly [object, string])[] = [
    [{ inputs: [{ type: 'FILE', path: '/etc/passwd' }] }, '/task/inputs/0/path'],
    [{ inputs: [{ type: 'FILE', path: '../twin/x' }] }, '/task/inputs/0/path'],
    [{ inputs: [{ type: 'FILE', path: `${ROOT}-evil/x` }] }, '/task/inputs/0/path'],
    [{ inputs: [{ type: 'FILE', path: '~/.ssh/id' }] }, '/task/inputs/0/path'],
    [{ access: { filesystem: { write_paths: ['/'] } } }, '/task/access/filesystem/write_paths/0'],
    [
      { expected_outputs: [{ ...output, validation: { command: `cat ${ROOT}/o`, expects: 'EXIT_CODE_0' } }] },
      '/task/expected_outputs/0/validation/command',
    ],
  ];
  for (const [more, path] of cases) {
    const packed = packTask(taskWith(more), ROOT);
    assert.ok(isRefusal(packed) && packed.path === path, JSON.stringify([more, packed]));
  }
});

test('a node that sends no TASK, or one with paths of its own choice, is refused', () => {
  for (const sent of [null, 'words', {}, taskWith({ inputs: [{ type: 'FILE', path: '/etc/shadow' }] })])
    assert.ok(isRefusal(unpackTask(sent, PLACE)), JSON.stringify(sent));
});

test('the target of a TASK may be an agent of another node', () => {
  assert.equal(addressOfTask(JSON.stringify(taskWith())), 'emma@tower');
  for (const text of ['words for emma@tower', '{"target":{"agent_name":"emma"}}', '{"target":1}', '{'])
    assert.equal(addressOfTask(text), null, text);
});
