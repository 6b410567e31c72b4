import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aTask } from '../../test/support/task/a-task.ts';
import { TASK_STATUSES, TASK_TRANSITIONS, type TaskStatus } from '../domain/task/task-lifecycle.ts';
import { decodeTaskText, encodeTaskText, fixedTextOf, type TaskText } from '../domain/task/task-text.ts';
import { type Comparison, compare, type DiskSide, type LedgerSide } from './compare.ts';

const TASK = aTask({ body: 'Do it.\n' });
const BASE = decodeTaskText(encodeTaskText(TASK));
const PLACE = `tasks/ready/${TASK.id}.md`;
const OWN = 'own';

function ledger(more: Partial<LedgerSide> = {}): LedgerSide {
  const fixed = fixedTextOf(TASK, 'prj_1');
  const own = new Set([OWN, 'next']);
  return {
    id: TASK.id,
    text: BASE,
    fixed,
    ownPath: PLACE,
    isOwnPathEmpty: false,
    others: 0,
    own,
    isPending: false,
    ...more,
  };
}

interface TypedText extends Partial<TaskText> {
  readonly id?: string | null;
  readonly uid?: string;
}

function file(path: string, typed: TypedText | 'own'): DiskSide {
  const folder = TASK_STATUSES.find((status) => path.startsWith(`tasks/${status}/`)) ?? null;
  if (typed === 'own') return { kind: 'file', path, sha256: OWN, folder, content: null };
  const { id = TASK.id, uid = TASK.uid, ...text } = typed;
  const content = { id, text: { ...BASE, ...text }, fixed: { ...fixedTextOf(TASK, 'prj_1'), uid } };
  return { kind: 'file', path, sha256: 'typed', folder, content };
}

/** In a few words, so that a table can be read. */
function told(comparison: Comparison): string {
  switch (comparison.kind) {
    case 'keep':
    case 'adopt':
      return comparison.kind;
    case 'rewrite':
      return `rewrite ${comparison.why}`;
    case 'edit': {
      const { changed, to } = comparison.edit;
      return `edit ${[...changed, ...(to === null ? [] : [`-> ${to}`])].join(' ')}`;
    }
    case 'move':
      return `move ${comparison.to}`;
    case 'stray':
      return comparison.edit === null ? 'stray' : `stray ${comparison.edit.changed.join(' ')}`;
    case 'conflict':
      return `conflict ${comparison.reason} ${comparison.fields.join(' ')}${comparison.isTyped ? '' : ', nothing typed'}`;
    case 'unreadable':
      return 'unreadable';
  }
}

const AT_PLACE: DiskSide = file(PLACE, 'own');
const ELSEWHERE = `tasks/blocked/${TASK.id}.md`;
const EMPTY = { isOwnPathEmpty: true } as const;
const PENDING = { isPending: true } as const;
const MOVED = decodeTaskText(encodeTaskText({ ...TASK, status: 'in-progress' }));

const ROWS: readonly (readonly [string, Partial<LedgerSide> | null, DiskSide, string, (TaskText | null)?])[] = [
  ['its own text at its ownPath', {}, AT_PLACE, 'keep'],
  ['its own text at its ownPath, with more to write', PENDING, AT_PLACE, 'keep'],
  ['what it is about to write, at its ownPath', PENDING, { ...AT_PLACE, sha256: 'next' } as DiskSide, 'keep'],
  ['nothing at its ownPath', EMPTY, { kind: 'absent', path: PLACE }, 'rewrite missing'],
  ['nothing at its ownPath, with more to write', { ...EMPTY, ...PENDING }, { kind: 'absent', path: PLACE }, 'keep'],
  ['nothing elsewhere', {}, { kind: 'absent', path: ELSEWHERE }, 'keep'],
  ['nothing, of no task', null, { kind: 'absent', path: PLACE }, 'keep'],
  ['no file', {}, { kind: 'unreadable', path: PLACE, problem: 'a link' }, 'unreadable'],
  ['no file, of no task', null, { kind: 'unreadable', path: PLACE, problem: 'a link' }, 'unreadable'],
  ['an empty file at its ownPath', {}, { kind: 'empty', path: PLACE, sha256: 'e' }, 'rewrite missing'],
  ['an empty file elsewhere', {}, { kind: 'empty', path: ELSEWHERE, sha256: 'e' }, 'stray'],
  ['an empty file of no task', null, { kind: 'empty', path: PLACE, sha256: 'e' }, 'unreadable'],
  ['a text of no task', null, file('tasks/ready/new.md', { id: null }), 'adopt'],
  ['a text that nobody read', {}, { ...AT_PLACE, sha256: 'other' } as DiskSide, 'unreadable'],

  ['the same, written otherwise', {}, file(PLACE, {}), 'rewrite same'],
  ['a title', {}, file(PLACE, { title: 'Other' }), 'edit title'],
  ['a title, with more to write', PENDING, file(PLACE, { title: 'Other' }), 'edit title'],
  [
    'a title that the ledger changed too',
    { text: { ...BASE, title: 'Third' } },
    file(PLACE, { title: 'Other' }),
    'conflict both_changed title',
  ],
  [
    'a title that the ledger changed to the same',
    { text: { ...BASE, title: 'Other' } },
    file(PLACE, { title: 'Other' }),
    'rewrite same',
  ],
  [
    'a body beside a title of the ledger',
    { text: { ...BASE, title: 'Third' } },
    file(PLACE, { body: 'Did it.\n' }),
    'edit body',
  ],
  ['another id', {}, file(PLACE, { id: 'TASK-2026-02-09-058' }), 'conflict id_changed id'],
  ['no id', {}, file(PLACE, { id: null, title: 'Other' }), 'edit title'],
  ['another uid', {}, file(PLACE, { uid: 'tsk_1' }), 'conflict fixed_field uid'],
  ['a text of nobody knows when', {}, file(PLACE, { title: 'Other' }), 'conflict both_changed title', null],
  ['an old text of nobody knows when', {}, file(PLACE, { body: '' }), 'rewrite same', null],

  ['a status line', {}, file(PLACE, { status: 'blocked' }), 'edit -> blocked'],
  ['a status line and a title', {}, file(PLACE, { status: 'blocked', title: 'Other' }), 'edit title -> blocked'],
  ['a status line that may not follow', {}, file(PLACE, { status: 'done' }), 'conflict invalid_transition status'],
  [
    'a status line of where the ledger is by now',
    { text: MOVED },
    file(PLACE, { status: 'in-progress' }),
    'rewrite same',
  ],
  [
    'a status line while the ledger moved',
    { text: MOVED },
    file(PLACE, { status: 'blocked' }),
    'conflict both_changed status',
  ],
  ['an old status line after the ledger moved', { text: MOVED }, file(PLACE, {}), 'rewrite same'],

  ['its own text elsewhere, its ownPath empty', EMPTY, file(ELSEWHERE, 'own'), 'move blocked'],
  ['its own text elsewhere, with more to write', { ...EMPTY, ...PENDING }, file(ELSEWHERE, 'own'), 'stray'],
  ['its own text elsewhere, its ownPath taken', {}, file(ELSEWHERE, 'own'), 'stray'],
  ['its own text at two ownPaths, its own empty', { ...EMPTY, others: 1 }, file(ELSEWHERE, 'own'), 'stray'],
  ['its own text by another name', EMPTY, file('tasks/ready/other.md', 'own'), 'stray'],
  [
    'its own text by another name, elsewhere',
    EMPTY,
    file('tasks/blocked/other.md', 'own'),
    'conflict invalid_transition status, nothing typed',
  ],
  [
    'its own text in a folder of no status',
    EMPTY,
    file(`tasks/someday/${TASK.id}.md`, 'own'),
    'conflict invalid_transition status, nothing typed',
  ],

  ['a title elsewhere, its ownPath empty', EMPTY, file(ELSEWHERE, { title: 'Other' }), 'edit title -> blocked'],
  ['the same elsewhere, its ownPath empty', EMPTY, file(ELSEWHERE, {}), 'edit -> blocked'],
  ['a status line that says the same as the folder', EMPTY, file(ELSEWHERE, { status: 'blocked' }), 'edit -> blocked'],
  [
    'a status line that says another than the folder',
    EMPTY,
    file(ELSEWHERE, { status: 'cancelled' }),
    'conflict both_changed status',
  ],
  [
    'a title in a folder of no status',
    EMPTY,
    file(`tasks/someday/${TASK.id}.md`, { title: 'Other' }),
    'conflict both_changed status',
  ],
  [
    'a title where the mirror put it',
    { ...EMPTY, ...PENDING, text: MOVED },
    file(`tasks/in-progress/${TASK.id}.md`, { title: 'Other' }),
    'edit title',
  ],

  ['a second file with a title', {}, file(ELSEWHERE, { title: 'Other' }), 'stray title'],
  ['a second file that says the same', {}, file(ELSEWHERE, {}), 'stray'],
  ['a second file with a status line', {}, file(ELSEWHERE, { status: 'blocked' }), 'conflict two_copies status'],
  [
    'a second file with a clash',
    { text: { ...BASE, title: 'Third' } },
    file(ELSEWHERE, { title: 'Other' }),
    'conflict both_changed title',
  ],
  ['a second file of another id', {}, file(ELSEWHERE, { id: 'TASK-2026-02-09-058' }), 'conflict id_changed id'],
];

for (const [name, side, disk, wanted, base = BASE] of ROWS) {
  test(`${name}: ${wanted}`, () => {
    assert.equal(told(compare(base, side && ledger(side), disk)), wanted);
  });
}

test('its own text in any other folder is a move exactly where the table of the life of a task allows one', () => {
  const pairs = TASK_STATUSES.flatMap((from) => TASK_STATUSES.map((to) => [from, to] as const));
  for (const [from, to] of pairs.filter(([one, other]) => one !== other)) {
    const ownPath = `tasks/${from}/${TASK.id}.md`;
    const side = ledger({ ...EMPTY, ownPath, text: { ...BASE, status: from } });
    const wanted = (TASK_TRANSITIONS[from] as readonly TaskStatus[]).includes(to) ? 'move' : 'conflict';
    assert.equal(compare(null, side, file(`tasks/${to}/${TASK.id}.md`, 'own')).kind, wanted, `${from} to ${to}`);
  }
});

test('whatever is pending, taken or copied, its own text is never an edit', () => {
  for (const isPending of [false, true])
    for (const isOwnPathEmpty of [false, true])
      for (const others of [0, 1])
        for (const path of [PLACE, ELSEWHERE, 'tasks/ready/other.md', 'tasks/x/y.md']) {
          const { kind } = compare(BASE, ledger({ isPending, isOwnPathEmpty, others }), file(path, 'own'));
          assert.ok(['keep', 'move', 'stray', 'conflict'].includes(kind), kind);
          if (isPending || others > 0) assert.ok(kind === 'keep' || kind === 'stray', kind);
        }
});
