import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskLife } from '../support/task/task-life.ts';
import { turnText } from '../support/trace/saop-messages.ts';

const life = await TaskLife.open();

/** SAOP, Persistence, by saop:columns; other columns may stand beside them. */
const COLUMNS = {
  tasks: ['id', 'head_hash'],
  agent_logs: ['turn_index', 'envelope_json', 'event_id'],
};

for (const [table, names] of Object.entries(COLUMNS)) {
  test(`the columns of the document are there by their names: ${table}`, () => {
    const found = life.at.ledger.read.all(`PRAGMA table_info(${table})`).map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => !found.includes(name)),
      [],
    );
  });
}

test('tasks.id is the name that a turn gives its task', async () => {
  const id = await life.create();
  assert.match(id, /^TASK-\d{4}-\d{2}-\d{2}-\d{3}$/);
  assert.deepEqual(
    life.at.ledger.read.all('SELECT id, head_hash FROM tasks').map(({ id, head_hash }) => [id, head_hash]),
    [[id, null]],
  );
  const text = turnText(id, 0);
  assert.equal((await life.sendText(text)).verdict, 'accepted');
  const sql = `SELECT tasks.id, turn_index, envelope_json FROM agent_logs JOIN tasks ON tasks.id = agent_logs.task_id
    WHERE turn_index IS NOT NULL`;
  assert.deepEqual(life.at.ledger.read.tuples(sql), [[id, 0, text]]);
});
