import type { OrderPlan } from '../../api/order-contract.ts';
import { type AskLine, askLine } from '../../platform/terminal.ts';
import { UsageError } from '../command.ts';
import { type Question, questionsOf } from './questions.ts';

export interface Agreement {
  /** The checks that were proposed are taken. */
  readonly takesSuggestedChecks: boolean;
}

export interface Asking {
  readonly isYes: boolean;
  readonly isTerminal: boolean;
  readonly ask?: AskLine;
  /** Called once, before the first question. */
  readonly beforeAsking?: () => Promise<void>;
}

/** Asks what has to be asked. Where nobody can answer, what is risky is refused and what is only proposed is left out. */
export async function agreeOn(plan: OrderPlan, asking: Asking): Promise<Agreement> {
  const { isYes, isTerminal, ask = askLine } = asking;
  let takesSuggestedChecks = false;
  const questions = questionsOf(plan);
  if (questions.length > 0 && !isYes && isTerminal) await asking.beforeAsking?.();
  for (const question of questions) {
    const isProposal = question.kind === 'suggested-checks';
    if (!isYes && !isTerminal) {
      if (isProposal) continue;
      throw unanswered(question);
    }
    const isAgreed = isYes || (await isYesTo(question, isProposal, ask));
    if (isProposal && isAgreed !== null) takesSuggestedChecks = isAgreed;
    else if (!isAgreed) throw new UsageError('not started', insteadOf(question), 'not_agreed');
  }
  return { takesSuggestedChecks };
}

/** Return alone is yes to a proposal, and no to a risk; null is no answer, and begins nothing. */
async function isYesTo(question: Question, isProposal: boolean, ask: AskLine): Promise<boolean | null> {
  const said = await ask(`${question.text} ${isProposal ? '[Y/n]' : '[y/N]'} `);
  if (said === null) return null;
  const answer = said.trim().toLowerCase();
  if (answer === '') return isProposal;
  return answer === 'y' || answer === 'yes';
}

function unanswered({ text, instead }: Question): UsageError {
  const what = text.replace(/\. [^.]*\?$/, '');
  return new UsageError(`${what}, and nobody is here to be asked`, insteadOf({ instead }), 'needs_answer');
}

function insteadOf({ instead }: Pick<Question, 'instead'>): string {
  return instead === '--yes' ? 'say --yes to go on' : `give ${instead}, or say --yes to go on`;
}
