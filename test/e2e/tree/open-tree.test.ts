import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { TASK_STATUSES, TASK_TRANSITIONS } from '../../../src/domain/task/task-lifecycle.ts';
import { BODY, type GivenFile, given } from '../../support/tree/given-file.ts';
import { TestOpenTree } from '../../support/tree/test-open-tree.ts';

/** Done by hand while the node runs, and while it is stopped. */
const WHEN = ['while it runs', 'while it is stopped'] as const;

type When = (typeof WHEN)[number];

/** The events that follow an edit by hand. */
async function afterHand({ tree }: GivenFile, when: When, byHand: () => void): Promise<string[]> {
  const { lastSeq } = tree;
  if (when === 'while it is stopped') await tree.stop();
  byHand();
  if (when === 'while it is stopped') await tree.restart();
  await tree.look();
  return tree.happened(lastSeq);
}

/** The file as the ledger has it: every other difference would be Baton's fault. */
function rewritten({ tree, id, text }: GivenFile, changes: readonly [string, string][]): string {
  const { revision } = tree.life.task(id);
  const edited = changes.reduce((all, [from, to]) => all.replace(from, to), text);
  return edited.replace(/^revision: \d+$/m, `revision: ${revision}`);
}

const EDITS: readonly (readonly [string, string, string, readonly [string, string][]])[] = [
  ['title', 'title: Add users endpoint', 'title: Another title', []],
  ['priority', 'priority: normal', 'priority: high', []],
  ['body', 'Do it.', 'Do it *well*.', []],
  ['body', '- two\n', '- two\n- mine\n', []],
  ['agent', 'priority: normal\n', 'priority: normal\nrouting:\n  agent: swe-qa\n', []],
  ['metadata', '---\nDo it', 'metadata:\n  estimate: 3\n---\nDo it', []],
  // What Baton does not know is kept where it has room for it.
  ['metadata', '---\nDo it', 'estimate: 3\n---\nDo it', [['estimate: 3\n', 'metadata:\n  estimate: 3\n']]],
];

for (const when of WHEN) {
  for (const [field, from, to, more] of EDITS) {
    test(`an edited ${field} (${JSON.stringify(to)}) is taken over ${when}`, async () => {
      const here = await given();
      const happened = await afterHand(here, when, () => here.tree.edit(here.path, from, to));
      assert.deepEqual(happened, ['task.edited by filesystem']);
      assert.deepEqual(here.tree.tasks(), { [here.path]: rewritten(here, [[from, to], ...more]) });
      assert.deepEqual(here.tree.openIncidents(), []);
      await here.tree.stop();
    });
  }

  test(`a file saved by renaming another over it, with what an editor leaves beside it, is an edit ${when}`, async () => {
    const here = await given();
    const { tree, path, text } = here;
    const left = {
      [`${path}~`]: text,
      'tasks/ready/4913': '',
      'tasks/ready/.x.md.swp': 'b0VIM',
      'tasks/ready/#x.md#': 'x',
    };
    const happened = await afterHand(here, when, () => {
      for (const [name, content] of Object.entries(left)) writeFileSync(tree.path(name), content);
      writeFileSync(tree.path('tasks/ready/.new'), text.replace('Do it', 'Did it'));
      renameSync(tree.path('tasks/ready/.new'), tree.path(path));
    });
    assert.deepEqual(happened, ['task.edited by filesystem']);
    assert.equal(tree.text(path), rewritten(here, [['Do it', 'Did it']]));
    for (const [name, content] of Object.entries(left)) assert.equal(tree.text(name), content);
    await tree.stop();
  });

  for (const from of TASK_STATUSES) {
    for (const to of TASK_STATUSES) {
      if (from === to) continue;
      const isLegal = TASK_TRANSITIONS[from].includes(to);
      test(`a file moved from ${from} to ${to} is ${isLegal ? 'a transition' : 'put back'} ${when}`, async () => {
        const tree = TestOpenTree.started();
        const id = await tree.life.inStatus(from, { body: BODY });
        await tree.look();
        const [path, there] = [`tasks/${from}/${id}.md`, `tasks/${to}/${id}.md`];
        const here = { tree, id, path, text: tree.text(path) };
        const happened = await afterHand(here, when, () => tree.rename(path, there));
        assert.equal(tree.life.status(id), isLegal ? to : from);
        assert.equal(happened.includes('task.transitioned by filesystem'), isLegal);
        assert.equal(happened.includes('tree.edit.rejected by dispatcher'), !isLegal);
        assert.deepEqual(Object.keys(tree.tasks()), [isLegal ? there : path]);
        if (!isLegal) assert.equal(tree.text(path), here.text);
        assert.deepEqual(tree.openIncidents(), []);
        await tree.stop();
      });
    }
  }

  test(`a changed status line is a transition ${when}`, async () => {
    const here = await given();
    const { tree, id, path } = here;
    const happened = await afterHand(here, when, () => tree.edit(path, 'status: ready', 'status: blocked'));
    assert.deepEqual(happened, ['task.transitioned by filesystem']);
    assert.deepEqual(Object.keys(tree.tasks()), [`tasks/blocked/${id}.md`]);
    await tree.stop();
  });

  test(`a status line that may not follow is put back, and what was typed with it is kept beside ${when}`, async () => {
    const here = await given();
    const { tree, id, path, text } = here;
    let typed = '';
    const happened = await afterHand(here, when, () => {
      typed = text.replace('status: ready', 'status: done').replace('Do it', 'Did it');
      tree.type(path, typed);
    });
    assert.deepEqual(happened, ['tree.edit.rejected by dispatcher', 'incident.opened by dispatcher']);
    assert.deepEqual(tree.tasks(), { [path]: text, [`tasks/ready/${id}.rejected.md`]: typed });
    assert.deepEqual(tree.incidents(), ['edit_set_aside']);
    tree.remove(`tasks/ready/${id}.rejected.md`);
    await tree.look();
    assert.deepEqual(tree.incidents(), []);
    await tree.stop();
  });

  test(`a file that was moved and edited is both ${when}`, async () => {
    const here = await given();
    const { tree, id, path } = here;
    const happened = await afterHand(here, when, () => {
      tree.edit(path, 'Do it', 'Did it');
      tree.rename(path, `tasks/blocked/${id}.md`);
    });
    assert.deepEqual(happened, ['task.edited by filesystem', 'task.transitioned by filesystem']);
    assert.match(tree.text(`tasks/blocked/${id}.md`), /status: blocked[\s\S]*Did it/);
    assert.equal(Object.keys(tree.tasks()).length, 1);
    await tree.stop();
  });

  test(`a changed id, uid or parent is put back and kept beside ${when}`, async () => {
    for (const [from, to] of [
      [/^id: .*$/m, 'id: TASK-2026-02-09-555'],
      [/^uid: .*$/m, 'uid: tsk_0000000000000000000000ZZZZ'],
      [/^createdBy: .*$/m, 'createdBy: mallory'],
    ] as const) {
      const here = await given();
      const { tree, id, path, text } = here;
      const typed = text.replace(from, to);
      const happened = await afterHand(here, when, () => tree.type(path, typed));
      assert.deepEqual(happened, ['tree.edit.rejected by dispatcher', 'incident.opened by dispatcher']);
      assert.deepEqual(tree.tasks(), { [path]: text, [`tasks/ready/${id}.rejected.md`]: typed });
      await tree.stop();
    }
  });

  test(`a file that was deleted is put back and told of once ${when}`, async () => {
    const here = await given();
    const { tree, path, text } = here;
    const happened = await afterHand(here, when, () => tree.remove(path));
    assert.deepEqual(happened, ['tree.file.restored by dispatcher']);
    assert.deepEqual(tree.tasks(), { [path]: text });
    await tree.stop();
  });

  test(`a copy of a task is never a move: what was typed in it is merged, and it goes ${when}`, async () => {
    const here = await given();
    const { tree, id, path, text } = here;
    const happened = await afterHand(here, when, () => {
      tree.type(`tasks/blocked/${id}.md`, text);
      tree.type('tasks/review/a copy.md', text.replace('Do it', 'Did it'));
    });
    assert.deepEqual(happened.sort(), [
      'task.edited by filesystem',
      'tree.stray.removed by dispatcher',
      'tree.stray.removed by dispatcher',
    ]);
    assert.deepEqual(tree.tasks(), { [path]: rewritten(here, [['Do it', 'Did it']]) });
    assert.equal(tree.life.status(id), 'ready');
    await tree.stop();
  });

  test(`a file by another name, or in a folder of no status, goes back to its place ${when}`, async () => {
    for (const there of ['tasks/ready/renamed.md', 'tasks/someday/TASK.md', 'tasks/loose.md']) {
      const here = await given();
      const { tree, path, text } = here;
      await afterHand(here, when, () => tree.rename(path, there));
      assert.deepEqual(tree.tasks(), { [path]: text }, there);
      assert.equal(tree.happened().filter((each) => each.endsWith('by filesystem')).length, 0);
      await tree.stop();
    }
  });

  test(`an entry taken out of the Work Log comes back, a changed one is kept beside ${when}`, async () => {
    const here = await given();
    const { tree, id, path, text } = here;
    assert.deepEqual(await afterHand(here, when, () => tree.edit(path, '- one\n', '')), []);
    assert.deepEqual(tree.tasks(), { [path]: text });
    const happened = await afterHand(here, when, () => tree.edit(path, '- one\n', '- 1\n'));
    assert.deepEqual(happened, ['tree.edit.rejected by dispatcher', 'incident.opened by dispatcher']);
    assert.equal(tree.text(path), text);
    assert.equal(tree.text(`tasks/ready/${id}.rejected.md`), text.replace('- one', '- 1'));
    await tree.stop();
  });

  test(`a new file with an id is adopted under it, one without gets a name ${when}`, async () => {
    const here = await given();
    const { tree } = here;
    const happened = await afterHand(here, when, () => {
      tree.type('tasks/backlog/idea.md', '---\ntitle: An idea\nstatus: backlog\n---\nHow?\r\nSo.\n');
      tree.type(
        'tasks/review/TASK-2026-02-01-007.md',
        '---\nid: TASK-2026-02-01-007\ntitle: Old\nstatus: review\nx: 1\n---\n',
      );
      tree.type(
        'tasks/in-progress/w.md',
        '---\ntitle: Under way\nstatus: in-progress\nrouting: {agent: swe-qa}\n---\n',
      );
    });
    assert.equal(happened.filter((each) => each === 'task.created by filesystem').length, 3);
    const names = Object.keys(tree.tasks()).sort();
    assert.deepEqual(
      names.map((name) => name.replace(/00[234]\.md$/, 'new.md')),
      [
        'tasks/backlog/TASK-2026-02-09-new.md',
        'tasks/in-progress/TASK-2026-02-09-new.md',
        `tasks/ready/${here.id}.md`,
        'tasks/review/TASK-2026-02-01-007.md',
      ],
    );
    const idea = tree.life.task(names[0]?.slice(14, -3) ?? '');
    assert.deepEqual([idea.title, idea.createdBy, idea.body], ['An idea', 'filesystem', 'How?\r\nSo.\n']);
    assert.deepEqual(tree.life.task('TASK-2026-02-01-007').metadata, { x: 1 });
    const underWay = names[1]?.slice(18, -3) ?? '';
    assert.deepEqual(
      tree.life.runs(underWay).map(({ agent, status }) => [agent, status]),
      [['swe-qa', 'running']],
    );
    assert.equal(await tree.life.create(), 'TASK-2026-02-09-004');
    await tree.stop();
  });

  test(`what cannot be read is left as it is, told of once, and taken over once it can be read ${when}`, async () => {
    const here = await given();
    const { tree, path, text } = here;
    const broken = text.replace('title: Add users endpoint', 'title: [not closed');
    const odd = {
      'tasks/ready/no-front.md': 'Just words.\n',
      'tasks/ready/engine.md': '---js\n{ title: 1 }\n---\n',
      'tasks/ready/no-title.md': '---\nstatus: ready\n---\n',
      'tasks/ready/waits.md': '---\ntitle: Waits\nstatus: ready\ndependsOn: [TASK-2030-01-01-001]\n---\n',
      'tasks/ready/agent.md': '---\ntitle: Whose\nstatus: ready\nrouting: { agent: "../all" }\n---\n',
    };
    await afterHand(here, when, () => {
      tree.type(path, broken);
      for (const [name, content] of Object.entries(odd)) tree.type(name, content);
    });
    await tree.look();
    assert.deepEqual(tree.tasks(), { [path]: broken, ...odd });
    assert.deepEqual(tree.incidents(), new Array(6).fill('unreadable_file'));
    const happened = await afterHand(here, when, () => {
      tree.edit(path, 'title: [not closed', 'title: Closed');
      for (const name of Object.keys(odd)) if (!name.includes('front')) tree.remove(name);
      tree.type('tasks/ready/no-front.md', '---\ntitle: Words\nstatus: ready\n---\nJust words.\n');
    });
    assert.deepEqual(happened.filter((each) => !each.startsWith('incident')).sort(), [
      'task.created by filesystem',
      'task.edited by filesystem',
    ]);
    assert.deepEqual(tree.incidents(), []);
    await tree.stop();
  });
}
