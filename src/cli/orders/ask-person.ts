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
}

/** Asks what has to be asked. Where nobody can answer, what is risky is refused and what is only proposed is left out. */
export async function agreeOn(plan: OrderPlan, { isYes, isTerminal, ask = askLine }: Asking): Promise<Agreement> {
  let takesSuggestedChecks = false;
  for (const question of questionsOf(plan)) {
    const isProposal = question.kind === 'suggested-checks';
    if (!isYes && !isTerminal) {
      if (isProposal) continue;
      throw unanswered(question);
    }
    const isAgreed = isYes || (await isYesTo(question, isProposal, ask));
    if (isProposal) takesSuggestedChecks = isAgreed;
    else if (!isAgreed) throw new UsageError('not started', question.instead, 'not_agreed');
  }
  return { takesSuggestedChecks };
}

/** Return alone is yes to a proposal, and no to a risk. */
async function isYesTo(question: Question, isProposal: boolean, ask: AskLine): Promise<boolean> {
  const answer = (await ask(`${question.text} ${isProposal ? '[Y/n]' : '[y/N]'} `)).trim().toLowerCase();
  if (answer === '') return isProposal;
  return answer === 'y' || answer === 'yes';
}

function unanswered({ text, instead }: Question): UsageError {
  const what = text.replace(/\. [^.]*\?$/, '');
  const hint = instead === '--yes' ? 'say --yes to go on' : `give ${instead}, or say --yes to go on`;
  return new UsageError(`${what}, and nobody is here to be asked`, hint, 'needs_answer');
}
