import type { NeedsYou } from '../../../src/api/overview-contract.ts';
import { call } from '../../node/call-node.ts';
import * as actions from '../../node/task-actions.ts';
import { askSure, askText } from '../../parts/ask.tsx';
import { clearComments, commentsOf } from './evidence/line-comments.ts';
import type { ShownTask } from './task-page.tsx';

type Work = () => Promise<string>;

/** Something that a person can do with a task now. */
export interface TaskDeed {
  readonly word: string;
  readonly key?: string;
  readonly kind?: 'main' | 'danger';
  /** Behind the button More. */
  readonly isMore?: boolean;
  /** Asks what must be asked; null if the person thinks better of it. */
  ask(): Promise<Work | null>;
}

/** The two or three most likely first. */
export function taskDeeds(shown: ShownTask, item: NeedsYou | null): readonly TaskDeed[] {
  const { status } = shown.task;
  const first: readonly TaskDeed[] =
    status === 'in-progress'
      ? runningDeeds(shown)
      : status === 'review'
        ? reviewDeeds(shown, item)
        : status === 'blocked' || status === 'deadletter'
          ? blockedDeeds(shown)
          : status === 'ready' || status === 'backlog'
            ? waitingDeeds(shown)
            : [];
  return withOneKeyEach([...first, ...workDeeds(shown), ...goOnDeeds(shown)]);
}

/** The first deed of a key has it, and only one deed is the main one. */
function withOneKeyEach(deeds: readonly TaskDeed[]): readonly TaskDeed[] {
  const main = deeds.findIndex(({ kind }) => kind === 'main');
  return deeds.map((deed, at) => {
    const { key, kind, ...rest } = deed;
    const isFirst = deeds.findIndex((each) => each.key === key) === at;
    return {
      ...rest,
      ...(key !== undefined && isFirst && { key }),
      ...(kind !== undefined && (kind !== 'main' || at === main) && { kind }),
    };
  });
}

const now =
  (work: Work): TaskDeed['ask'] =>
  async () =>
    work;

function runningDeeds({ task: { id, title } }: ShownTask): readonly TaskDeed[] {
  const talk = async () => {
    const text = await askText({ title: `Say to the agent: ${title}`, label: 'Your words', submit: 'Say' });
    return text === null ? null : () => actions.say(id, text);
  };
  return [
    { word: 'Say', key: 's', ask: talk },
    { word: 'Stop', key: 'x', kind: 'danger', ask: now(() => actions.stopTask(id)) },
  ];
}

function reviewDeeds({ task }: ShownTask, item: NeedsYou | null): readonly TaskDeed[] {
  const { id, title, work } = task;
  const review = item?.id ?? id;
  const isWaiting = work === 'waiting';
  const accept = (message?: string) =>
    isWaiting ? actions.applyAndApprove(id, review, message) : actions.approve(review, message);
  const word = isWaiting ? 'Apply' : 'Approve';
  const withComment = async () => {
    const text = await askText({ title: `${word}: ${title}`, label: 'Your comment', submit: word });
    return text === null ? null : () => accept(text);
  };
  return [
    { word, key: 'a', kind: 'main', ask: now(() => accept()) },
    { word: 'Send back', key: 'r', ask: () => askBack(id, title, review) },
    { word: `${word} with a comment…`, isMore: true, ask: withComment },
    ...(isWaiting ? [{ word: 'Approve without applying', isMore: true, ask: now(() => actions.approve(review)) }] : []),
  ];
}

/** With the comments on lines that were written in the diff. */
async function askBack(id: string, title: string, review: string): Promise<Work | null> {
  const comments = commentsOf(id).value;
  const body =
    comments.length === 0
      ? undefined
      : `${comments.length} on lines: ${comments.map(({ path, line }) => `${path}:${line}`).join(', ')}`;
  const text = await askText({
    title: `Send back: ${title}`,
    label: comments.length === 0 ? 'What is to be changed?' : 'Anything about the whole? (optional)',
    submit: 'Send back',
    isOptional: comments.length > 0,
    ...(body !== undefined && { body }),
  });
  if (text === null) return null;
  return async () => {
    const done = await actions.sendBack(review, text, comments);
    clearComments(id);
    return done;
  };
}

function blockedDeeds({ task: { id } }: ShownTask): readonly TaskDeed[] {
  return [{ word: 'Retry', key: 'a', kind: 'main', ask: now(() => actions.retry(id)) }];
}

function waitingDeeds({ task: { id, agent } }: ShownTask): readonly TaskDeed[] {
  const start: TaskDeed = { word: 'Start', key: 'a', kind: 'main', ask: now(() => actions.start(id)) };
  return [...(agent === null ? [] : [start]), { word: 'Cancel', key: 'x', ask: now(() => actions.cancel(id)) }];
}

/** Work that waits in a worktree, or that is in the person's files. */
function workDeeds({ task, report }: ShownTask): readonly TaskDeed[] {
  const { id, work, status } = task;
  if (!report?.isOver || report.changed.length === 0) return [];
  const isSure = (title: string, submit: string, act: Work) => async () =>
    (await askSure({ title, submit, isDanger: true })) ? act : null;
  const branch = async () => {
    const name = await askText({
      title: 'Commit the work on a new branch',
      label: 'Name of the branch',
      submit: 'Commit',
    });
    return name === null ? null : () => actions.applyWork(id, { branch: name });
  };
  const verify: TaskDeed = { word: 'Run the checks again', isMore: true, ask: now(() => verifyWork(id)) };
  if (work === 'waiting') {
    const apply: TaskDeed = { word: 'Apply', key: 'a', kind: 'main', ask: now(() => actions.applyWork(id)) };
    return [
      ...(status === 'review' ? [] : [apply]),
      { word: 'Apply as a branch…', isMore: true, ask: branch },
      verify,
      {
        word: 'Discard…',
        isMore: true,
        kind: 'danger',
        ask: isSure('Discard the work?', 'Discard', () => actions.discardWork(id)),
      },
    ];
  }
  if (work === 'undone' || work === 'discarded' || work === 'continued') return [];
  const undo = isSure('Take back what the agent did to your files?', 'Undo', () => actions.undoWork(id));
  const keep = isSure('Undo files that you changed since, too? Your changes are saved.', 'Undo', () =>
    actions.undoWork(id, { keep: true }),
  );
  return [
    { word: 'Undo', isMore: status === 'review', ask: undo },
    verify,
    { word: 'Undo, and save my later changes…', isMore: true, kind: 'danger', ask: keep },
  ];
}

function goOnDeeds({ task, report }: ShownTask): readonly TaskDeed[] {
  const { id, title, status } = task;
  if (status === 'in-progress' || status === 'ready' || status === 'backlog') return [];
  const goOn =
    (agent?: string): TaskDeed['ask'] =>
    async () => {
      const label = 'What should the agent do now? Without words it goes on with what is not done.';
      const text = await askText({ title: `Continue: ${title}`, label, submit: 'Continue', isOptional: true });
      return text === null ? null : () => actions.continueTask(id, { text, ...(agent && { agent }) });
    };
  const other = async () => {
    const agent = await askText({ title: 'Continue with another agent', label: 'Its name', submit: 'Next' });
    return agent === null ? null : await goOn(agent)();
  };
  const isOver = status === 'done' || status === 'cancelled';
  return [
    ...(report === null ? [] : [{ word: 'Continue…', isMore: status === 'review' || isOver, ask: goOn() }]),
    ...(report === null ? [] : [{ word: 'Continue with another agent…', isMore: true, ask: other }]),
    ...(isOver
      ? []
      : [{ word: 'Cancel the task', isMore: true, kind: 'danger' as const, ask: now(() => actions.cancel(id)) }]),
  ];
}

async function verifyWork(task: string): Promise<string> {
  const { isPassed, results } = await call('verifyWork', { task });
  if (isPassed) return 'the checks pass';
  const failed = results.find(({ result }) => result !== 'passed');
  throw new Error(failed ? `${failed.id}: ${failed.why ?? failed.message}` : 'there are no checks');
}
