import type { RequestOf } from '../../src/api/node-client.ts';
import { counted } from '../parts/format.ts';
import { call } from './call-node.ts';

// Each changes something and resolves with a sentence about what came of it.

export interface AskedReview {
  readonly from: readonly string[];
  /** `author`: it deals with the findings; `person`: with those that the person accepts; `nobody`: they are only told. */
  readonly deals: 'author' | 'person' | 'nobody';
  readonly author: string | null;
  readonly rounds: number;
  readonly ask: string;
}

/** Has other agents review the work of a task. */
export async function askForReview(task: string, workspace: string, asked: AskedReview): Promise<string> {
  const { from, deals, author, rounds, ask } = asked;
  const fix = deals === 'nobody' || author === null ? {} : { fix: author };
  const decide = deals === 'person' ? { decide: 'person' as const } : {};
  const words = ask === '' ? {} : { ask };
  await call('beginFeedback', { task, workspace, from: [...from], rounds, ...fix, ...decide, ...words });
  return `asked ${from.join(', ')} for a review`;
}

export type FindingDecision = RequestOf<'decideFeedback'>['decisions'][number];

/** The first answer counts. */
export async function decideFindings(feedback: string, round: number, decisions: readonly FindingDecision[]) {
  await call('decideFeedback', { feedback, round, decisions: [...decisions] });
  return `decided on ${counted(decisions.length, 'finding')}`;
}

export async function stopReview(feedback: string): Promise<string> {
  await call('stopFeedback', { feedback });
  return 'stopped';
}
