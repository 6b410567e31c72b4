import { askForReview } from '../../node/feedback-actions.ts';
import { overview } from '../../node/overview.ts';
import { askReviewers } from './ask-reviewers.tsx';
import type { ShownTask } from './task-page.tsx';

/** Work that is there to be looked at. */
export function canBeReviewed({ task, report }: ShownTask): boolean {
  const { status, work } = task;
  const isOver = status === 'review' || status === 'done' || status === 'blocked';
  return isOver && report?.isOver === true && work !== 'undone' && work !== 'discarded';
}

/** Asks who is to review the work; null if the person thinks better of it. */
export async function reviewDeed({ task }: ShownTask): Promise<(() => Promise<string>) | null> {
  const { agents = [], workspace = '' } = overview.value.value ?? {};
  const author = task.runs.at(-1)?.agent ?? task.agent;
  const authors = new Set([...task.runs.map(({ agent }) => agent), task.agent]);
  const asked = await askReviewers({
    title: task.title,
    author,
    agents: agents.filter(({ name }) => !authors.has(name)),
  });
  return asked === null ? null : () => askForReview(task.id, workspace, asked);
}
