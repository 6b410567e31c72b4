import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BATON, runBaton } from '../../support/run-baton.ts';
import { orderRun, output, RunStage, type TaskChanges, taskFor } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('run-refused');
const { root } = stage.repository();
mkdirSync(join(root, 'src'));
symlinkSync('/etc', join(root, 'way-out'));

const checked = (command: string, expects = 'EXIT_CODE_0') => output('a.txt', { validation: { command, expects } });
const kept = (path: string) => output('a.txt', { rollback_snapshot: { enabled: true, snapshot_path: path } });
const granted = (filesystem: object) => ({ access: { filesystem } });

interface Case {
  readonly name: string;
  readonly code: string;
  readonly path: string;
  readonly agent?: string;
  readonly changes: TaskChanges;
}

const CASES: readonly Case[] = [
  {
    name: 'an agent that nobody has set up',
    code: 'E_AGENT_NOT_FOUND',
    path: '/target/agent_name',
    agent: 'nobody',
    changes: {},
  },
  {
    name: 'an input that is not there',
    code: 'E_FILE_NOT_FOUND',
    path: '/task/inputs/0/path',
    changes: { task: { inputs: [{ type: 'FILE', path: 'missing.md' }] } },
  },
  {
    name: 'an input that is a folder where a file is wanted',
    code: 'E_FILE_NOT_FOUND',
    path: '/task/inputs/0/path',
    changes: { task: { inputs: [{ type: 'FILE', path: 'src' }] } },
  },
  {
    name: 'a path of another system',
    code: 'E_FILE_NOT_FOUND',
    path: '/task/inputs/0/path',
    changes: { task: { inputs: [{ type: 'FILE', path: 'C:/ai/readme.md' }] } },
  },
  {
    name: 'a workspace of another system',
    code: 'E_FILE_NOT_FOUND',
    path: '/task/environment/workspace_root',
    changes: { task: { environment: { workspace_root: 'C:/ai/my-project' } } },
  },
  {
    name: 'a workspace that is not there',
    code: 'E_FILE_NOT_FOUND',
    path: '/task/environment/workspace_root',
    changes: { task: { environment: { workspace_root: join(root, 'nowhere') } } },
  },
  {
    name: 'shell syntax in a validation',
    code: 'E_PERMISSION_DENIED',
    path: '/task/expected_outputs/0/validation/command',
    changes: { task: { expected_outputs: [checked('cat a.txt | grep x')] } },
  },
  {
    name: 'an output outside of the write paths',
    code: 'E_PERMISSION_DENIED',
    path: '/task/expected_outputs/0/path',
    changes: {
      task: { ...granted({ read_paths: [root], write_paths: ['src'] }), expected_outputs: [output('a.txt')] },
    },
  },
  {
    name: 'the hooks of the repository to write',
    code: 'E_PERMISSION_DENIED',
    path: '/task/access/filesystem/write_paths/1',
    changes: { task: granted({ read_paths: [root], write_paths: ['src', '.git/hooks'] }) },
  },
  {
    name: 'the whole file system as workspace',
    code: 'E_PERMISSION_DENIED',
    path: '/task/environment/workspace_root',
    changes: { task: { environment: { workspace_root: '/' } } },
  },
  {
    name: "the system's own folder to read",
    code: 'E_PERMISSION_DENIED',
    path: '/task/access/filesystem/read_paths/0',
    changes: { task: granted({ read_paths: ['/proc/self'], write_paths: [] }) },
  },
  {
    name: 'an output under read_only_mode',
    code: 'E_PERMISSION_DENIED',
    path: '/task/expected_outputs/0/path',
    changes: { task: { constraints: { read_only_mode: true }, expected_outputs: [output('a.txt')] } },
  },
  {
    name: 'an output behind a link that leads out',
    code: 'E_PERMISSION_DENIED',
    path: '/task/expected_outputs/0/path',
    changes: { task: { expected_outputs: [output('way-out/a.txt')] } },
  },
  {
    name: 'an input outside of the read paths',
    code: 'E_PERMISSION_DENIED',
    path: '/task/inputs/0/path',
    changes: {
      task: { ...granted({ read_paths: ['src'], write_paths: [] }), inputs: [{ type: 'FILE', path: 'readme.md' }] },
    },
  },
  {
    name: 'an input where the agent may see no files at all',
    code: 'E_PERMISSION_DENIED',
    path: '/task/inputs/0/path',
    changes: {
      target: { capabilities: { file_system_access: false } },
      task: { inputs: [{ type: 'FILE', path: 'readme.md' }] },
    },
  },
  {
    name: 'a snapshot beside .aop_snapshots',
    code: 'E_PERMISSION_DENIED',
    path: '/task/expected_outputs/0/rollback_snapshot/snapshot_path',
    changes: { task: { expected_outputs: [kept('snapshots/a.before')] } },
  },
  {
    name: "an output in Baton's own folder",
    code: 'E_PERMISSION_DENIED',
    path: '/task/access/filesystem/write_paths/0',
    changes: { task: { ...granted({ read_paths: [], write_paths: [stage.data.path] }) } },
  },
  {
    name: 'more than 100 inputs',
    code: 'E_CONTEXT_OVERFLOW',
    path: '/task/inputs',
    changes: { task: { inputs: Array.from({ length: 101 }, () => ({ type: 'FILE', path: 'readme.md' })) } },
  },
  {
    name: 'more than 50 outputs',
    code: 'E_CONTEXT_OVERFLOW',
    path: '/task/expected_outputs',
    changes: { task: { expected_outputs: Array.from({ length: 51 }, (_, at) => output(`${at}.txt`)) } },
  },
  {
    name: 'a TASK of more than 200 KB',
    code: 'E_CONTEXT_OVERFLOW',
    path: '',
    changes: { task: { objective: 'x'.repeat(205_000) } },
  },
];

describe('what is not run', { concurrency: 4, skip: noBubblewrap }, () => {
  for (const { name, code, path, agent = 'completes', changes } of CASES) {
    test(`${name}: ${code}, exit 2, and nothing is kept of it`, async () => {
      const refused = await stage.refused(taskFor(agent, root, changes));
      assert.deepEqual([refused.exit, refused.verdict, refused.code], [2, 'refused', code], JSON.stringify(refused));
      assert.equal(refused.errors[0]?.path, path, JSON.stringify(refused.errors));
    });
  }

  for (const text of [
    '{"aop_version": "2.0.2-C",',
    '[1, 2]',
    '{"title": "not AOP"}',
    '{"a":1,"a":2}',
    '42',
    '"do it"',
  ]) {
    test(`${text} is no order: E_PARSE_FAILURE, exit 2`, async () => {
      const { exit, code } = await stage.refused(text);
      assert.deepEqual([exit, code], [2, 'E_PARSE_FAILURE']);
    });
  }

  test('a TASK that fails its schema and has no objective is refused: E_SCHEMA_VALIDATION', async () => {
    const { exit, code, errors } = await stage.refused(taskFor('completes', root, { task: { objective: 7 } }));
    assert.deepEqual([exit, code, errors[0]?.path], [2, 'E_SCHEMA_VALIDATION', '/task/objective']);
  });

  test('each thing that is wrong is told at its own place', async () => {
    const { errors } = await stage.refused(taskFor('completes', root, { task: { objective: 7, priority: 'SOON' } }));
    assert.deepEqual(
      errors.map(({ path }) => path),
      ['/task/objective', '/task/priority'],
    );
  });

  test('a RESPONSE or an EVENT is no order', async () => {
    const { task: _, ...rest } = taskFor('completes', root);
    const { exit, verdict } = await stage.refused({ ...rest, message_type: 'RESPONSE' });
    assert.deepEqual([exit, verdict], [2, 'refused']);
  });

  test('shell syntax in a --check is refused before anything is made', async () => {
    const { exit, code } = await stage.refused(taskFor('completes', root), '--check', 'npm test && echo fine');
    assert.deepEqual([exit, code], [2, 'E_PERMISSION_DENIED']);
  });

  test('after all of that the ledger has no task', async () => {
    const { running, waiting, needsYou } = taken(await stage.daemon?.client.status());
    assert.deepEqual([running, waiting, needsYou], [[], [], []]);
  });
});

test('a program that is gone is E_AGENT_NOT_FOUND', { skip: noBubblewrap }, async () => {
  stage.configure({
    agents: { gone: { driver: 'process', command: [join(root, 'no-such-program')], provider: 'OTHER', model: 'gone' } },
  });
  const { exit, code, errors } = await stage.refused(taskFor('gone', root));
  assert.deepEqual([exit, code], [2, 'E_AGENT_NOT_FOUND'], JSON.stringify(errors));
});

test('handed down four times is E_MAX_DEPTH_EXCEEDED', { skip: noBubblewrap }, async () => {
  stage.configure();
  const session = { session_id: 'S-DEEP', created_at: '2026-02-26T14:00:00Z', orchestrator: 'Test', origin: 'CLI' };
  const handedDown = (depth: number) => {
    const parent_task_id = depth === 0 ? null : `D-${depth - 1}`;
    return { ...taskFor('completes', root, { task: { task_id: `D-${depth}`, parent_task_id } }), session };
  };
  for (const depth of [0, 1, 2, 3]) assert.equal((await stage.run(handedDown(depth))).exit, 3, `depth ${depth}`);
  const { exit, code, errors } = await stage.refused(handedDown(4));
  assert.deepEqual([exit, code, errors[0]?.path], [2, 'E_MAX_DEPTH_EXCEEDED', '/task/parent_task_id']);
});

/** Simulates a machine without a sandbox: its program is hidden from the whole command. */
const UNHELD = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/bwrap', '--', BATON];

test('without a sandbox: what demands one is refused, what does not is run and watched', {
  skip: noBubblewrap,
}, async () => {
  const alone = await RunStage.alone('run-unheld');
  const { root: workspace } = alone.repository();
  const run = (message: object) =>
    runBaton([...UNHELD, 'run', alone.write(message), '--json', '--data', alone.data.path], { program: 'bwrap' });
  const demanding = await run(taskFor('completes', workspace, { task: { constraints: { network_access: 'NONE' } } }));
  assert.deepEqual(
    [demanding.status, (JSON.parse(demanding.stdout) as { code: string }).code],
    [2, 'E_PERMISSION_DENIED'],
    demanding.stdout,
  );
  const input = { type: 'FILE', path: 'readme.md', read_only: true };
  const task = { objective: '@demo append readme.md four\n@demo write a.txt x', inputs: [input] };
  const open = orderRun(
    await run(taskFor('demo', workspace, { task: { ...task, expected_outputs: [output('a.txt')] } })),
  );
  assert.match(open.response.execution_summary?.warnings?.join() ?? '', /not sandboxed/);
  assert.deepEqual([open.exit, open.code], [1, 'E_PERMISSION_DENIED'], JSON.stringify(open.response.task_status));
});
