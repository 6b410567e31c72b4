import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskWritten } from '../domain/secrets/mask-written.ts';
import type { TaskText } from '../domain/task/task-text.ts';
import { mergeTask } from './merge-task.ts';

const TOKEN = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4xY7z'}`;
const LEDGER: TaskText = {
  title: `Use ${TOKEN}`,
  status: 'ready',
  priority: 'normal',
  agent: null,
  role: null,
  team: null,
  tags: [],
  resource: null,
  dependsOn: [],
  sla: null,
  metadata: {},
  body: `first\nkey ${TOKEN}\nlast`,
};
const SHOWN: TaskText = { ...LEDGER, title: maskWritten(LEDGER.title), body: maskWritten(LEDGER.body) };

test('a file that shows secrets masked is no edit, and an edit of another line keeps them', () => {
  const same = mergeTask({ base: SHOWN, ledger: LEDGER, disk: SHOWN });
  assert.deepEqual(same.kind === 'merged' && same.changed, []);
  const body = SHOWN.body.replace('last', 'the end');
  const edited = mergeTask({ base: SHOWN, ledger: LEDGER, disk: { ...SHOWN, body } });
  assert.ok(edited.kind === 'merged');
  assert.deepEqual(
    [edited.text.title, edited.text.body, edited.changed],
    [LEDGER.title, `first\nkey ${TOKEN}\nthe end`, ['body']],
  );
});

test('a title that a person types anew replaces the one with a secret', () => {
  const retitled = mergeTask({ base: SHOWN, ledger: LEDGER, disk: { ...SHOWN, title: 'Use the vault' } });
  assert.deepEqual(retitled.kind === 'merged' && [retitled.text.title, retitled.changed], ['Use the vault', ['title']]);
});
