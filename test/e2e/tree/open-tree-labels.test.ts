import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TASK_LABEL_CHARACTERS_MAX, TASK_TAGS_MAX } from '../../../src/domain/limits.ts';
import { editTask } from '../../../src/operations/task/edit-task.ts';
import { TestOpenTree } from '../../support/tree/test-open-tree.ts';

const LONG = 'x'.repeat(TASK_LABEL_CHARACTERS_MAX + 1);
const MANY = Array.from({ length: TASK_TAGS_MAX + 1 }, (_, at) => `t${at}`).join(', ');

const LABELS: readonly (readonly [what: string, typed: string, path: string])[] = [
  ['a tag too many', `routing:\n  tags: [${MANY}]\n`, '/routing/tags'],
  ['a long tag', `routing:\n  tags: [${LONG}]\n`, '/routing/tags'],
  ['a long role', `routing:\n  role: ${LONG}\n`, '/routing/role'],
  ['a long team', `routing:\n  team: ${LONG}\n`, '/routing/team'],
  ['a long resource', `resource: ${LONG}\n`, '/resource'],
];

for (const [what, typed, path] of LABELS) {
  test(`${what} is refused in a file as baton task edit refuses it, and the task can still be edited`, async () => {
    const tree = TestOpenTree.started();
    const id = await tree.life.inStatus('ready');
    await tree.look();
    const { lastSeq } = tree;
    tree.edit(`tasks/ready/${id}.md`, 'priority: normal\n', `priority: normal\n${typed}`);
    await tree.look();
    assert.deepEqual(tree.happened(lastSeq), ['tree.edit.rejected by dispatcher', 'incident.opened by dispatcher']);
    assert.match(JSON.stringify(tree.events()), new RegExp(path));
    await tree.life.do(editTask, { taskId: id, actor: 'operator', reason: null, change: { title: 'Another title' } });
    assert.equal(tree.life.task(id).title, 'Another title');
    await tree.stop();
  });
}
