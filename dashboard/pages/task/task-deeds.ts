import type { NeedsYou } from '../../../src/api/overview/overview-contract.ts';
import { call } from '../../node/call-node.ts';
import * as actions from '../../node/task-actions.ts';
import { askSure, askText } from '../../parts/ask.tsx';
import { clearComments, commentsOf } from './evidence/line-comments.ts';
import { canBeReviewed, reviewDeed } from './review-deed.ts';
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
  const review: readonly TaskDeed[] = canBeReviewed(shown)
    ? [{ word: 'Ask for a review…', isMore: true, ask: () => reviewDeed(shown) }]
    : [];
  const deeds = [...runningDeeds(shown), ...reviewDeeds(shown, item), ...beginDeeds(shown), ...review];
  return withOneKeyEach([...deeds, ...workDeeds(shown), ...goOnDeeds(shown)]);
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

function runningDeeds({ task: { id, title, actions: can } }: ShownTask): readonly TaskDeed[] {
  if (!can.includes('say')) return [];
  const talk = async () => {
    const text = await askText({ title: `Say to the agent: ${title}`, label: 'Your words', submit: 'Say' });
    return text === null ? null : () => actions.say(id, text);
  };
  const stop: TaskDeed = { word: 'Stop', key: 'x', kind: 'danger', ask: now(() => actions.stopTask(id)) };
  return [{ word: 'Say', key: 's', ask: talk }, ...(can.includes('stop') ? [stop] : [])];
}

function reviewDeeds({ task }: ShownTask, item: NeedsYou | null): readonly TaskDeed[] {
  const { id, title, work } = task;
  if (!task.actions.includes('approve')) return [];
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

/** Work that was taken back is retried beside the review, not in its place. */
function beginDeeds({ task: { id, status, actions: can } }: ShownTask): readonly TaskDeed[] {
  const isMore = can.includes('approve') || status === 'done';
  if (can.includes('retry')) {
    return [
      { word: 'Retry', key: 'a', ...(isMore ? { isMore } : { kind: 'main' }), ask: now(() => actions.retry(id)) },
    ];
  }
  const start: TaskDeed = { word: 'Start', key: 'a', kind: 'main', ask: now(() => actions.start(id)) };
  return can.includes('run') ? [start] : [];
}

/** Work that waits in a worktree, or that is in the person's files. */
function workDeeds({ task: { id, actions: can } }: ShownTask): readonly TaskDeed[] {
  const isReview = can.includes('approve');
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
  if (can.includes('apply')) {
    const apply: TaskDeed = { word: 'Apply', key: 'a', kind: 'main', ask: now(() => actions.applyWork(id)) };
    return [
      ...(isReview ? [] : [apply]),
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
  if (!can.includes('undo')) return [];
  const undo = isSure('Take back what the agent did to your files?', 'Undo', () => actions.undoWork(id));
  const keep = isSure('Undo files that you changed since, too? Your changes are saved.', 'Undo', () =>
    actions.undoWork(id, { keep: true }),
  );
  return [
    { word: 'Undo', isMore: isReview, ask: undo },
    verify,
    { word: 'Undo, and save my later changes…', isMore: true, kind: 'danger', ask: keep },
  ];
}

function goOnDeeds({ task }: ShownTask): readonly TaskDeed[] {
  const { id, title, status, actions: can } = task;
  const goOn =
    (agent?: string): TaskDeed['ask'] =>
    async () => {
      const label = 'What should the agent do now? Without words it continues what is not done.';
      const text = await askText({ title: `Continue: ${title}`, label, submit: 'Continue', isOptional: true });
      return text === null ? null : () => actions.continueTask(id, { text, ...(agent && { agent }) });
    };
  const other = async () => {
    const agent = await askText({ title: 'Continue with another agent', label: 'Its name', submit: 'Next' });
    return agent === null ? null : await goOn(agent)();
  };
  const ask = now(() => actions.cancel(id));
  const cancel: TaskDeed =
    status === 'backlog' || status === 'ready'
      ? { word: 'Cancel', key: 'x', ask }
      : { word: 'Cancel the task', isMore: true, kind: 'danger', ask };
  const mayCancel = can.includes('cancel');
  const goesOn: readonly TaskDeed[] = [
    { word: 'Continue…', isMore: can.includes('approve') || !mayCancel, ask: goOn() },
    { word: 'Continue with another agent…', isMore: true, ask: other },
  ];
  // A running task is stopped first.
  return [...(can.includes('continue') ? goesOn : []), ...(mayCancel && !can.includes('say') ? [cancel] : [])];
}

async function verifyWork(task: string): Promise<string> {
  const { isPassed, results } = await call('verifyWork', { task });
  if (isPassed) return 'the checks pass';
  const failed = results.find(({ result }) => result !== 'passed');
  throw new Error(failed ? `${failed.id}: ${failed.why ?? failed.message}` : 'there are no checks');
}
