import type { NodeClient } from '../../api/contract.ts';
import type { OrderPlan, OrderRequest } from '../../api/order-contract.ts';
import { writeSetting } from '../../config/write-setting.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { type AskLine, askLine, isInteractive } from '../../platform/terminal.ts';
import { type Call, UsageError } from '../command.ts';
import { configFileOf } from '../config-file-of.ts';
import { fold } from '../output/fold.ts';
import { lookOf } from '../output/look.ts';
import { planText } from '../output/plan-text.ts';
import { printText } from '../output/print.ts';

/** Something that a person has to agree to before the work begins. */
export interface Question {
  readonly kind: 'no-sandbox' | 'no-git' | 'dirty-tree' | 'no-cap' | 'suggested-checks';
  readonly text: string;
  /** What to give on the command line instead of an answer. */
  readonly instead: string;
}

/** product.md: asked only where there is no sandbox, no git, a dirty tree in place, or no cap on money. */
export function questionsOf(plan: OrderPlan): readonly Question[] {
  if (plan.isProgram) return [];
  const questions: Question[] = [];
  if (plan.checks.length === 0 && plan.suggestedChecks.length > 0) {
    const checks = plan.suggestedChecks.map((check) => JSON.stringify(check)).join(', ');
    questions.push({
      kind: 'suggested-checks',
      text: `no check was named; this repository suggests ${checks}. Use it?`,
      instead: plan.suggestedChecks.map((check) => `--check ${JSON.stringify(check)}`).join(' '),
    });
  }
  if (plan.sandbox === 'none') {
    const why = plan.sandboxMissing === null ? '' : ` (${plan.sandboxMissing})`;
    questions.push({ kind: 'no-sandbox', text: `there is no sandbox${why}. Run it all the same?`, instead: '--yes' });
  }
  if (plan.git === null) {
    questions.push({
      kind: 'no-git',
      text: `${plan.workspace} is not in git, so there is no undo. Go on?`,
      instead: '--yes',
    });
  } else if (plan.workplace === 'in-place' && plan.git.changedFiles > 0) {
    const { changedFiles } = plan.git;
    const files = changedFiles === 1 ? '1 file of yours is' : `${changedFiles} files of yours are`;
    const text = `${files} changed and not committed. Work among them?`;
    questions.push({ kind: 'dirty-tree', text, instead: '--worktree' });
  }
  if (plan.costsMoney && plan.budgetUsd === null) {
    questions.push({ kind: 'no-cap', text: 'there is no cap on money. Go on without?', instead: '--budget 5' });
  }
  return questions;
}

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

export interface Agreed {
  /** What was proposed and taken is a part of it. */
  readonly request: OrderRequest;
  /** The person has seen the plan: it is not shown again. */
  readonly isPlanShown: boolean;
}

/** The questions of the plan, after the plan itself: nobody agrees to what they have not seen. */
export async function agree(call: Call, request: OrderRequest, plan: OrderPlan): Promise<Agreed> {
  const isTerminal = isInteractive() && !call.flags.json;
  let isPlanShown = false;
  const { takesSuggestedChecks } = await agreeOn(plan, {
    isYes: Boolean(call.flags.yes),
    isTerminal,
    beforeAsking: async () => {
      isPlanShown = true;
      const look = lookOf(call);
      await printText(fold(planText(plan, look), look.columns));
    },
  });
  const checks = takesSuggestedChecks ? plan.suggestedChecks : (request.checks ?? []);
  const agent = plan.isProgram ? (request.agent ?? null) : plan.agent.name;
  // Checks that were taken change the plan.
  return { request: { ...request, agent, checks }, isPlanShown: isPlanShown && !takesSuggestedChecks };
}

/** The plan; where nobody is named and somebody can be asked, the answer is kept for the next time. */
export async function planWithAgent(
  call: Call,
  client: NodeClient,
  request: OrderRequest,
): Promise<{ readonly request: OrderRequest; readonly plan: OrderPlan | Refusal }> {
  const plan = await client.planOrder(request);
  const names = namesOffered(plan);
  if (names.length === 0 || request.agent || call.flags.json || !isInteractive()) return { request, plan };
  const agent = await askForAgent(names, askLine);
  if (agent === null) return { request, plan };
  writeSetting({ path: configFileOf(call), key: 'default_agent', value: JSON.stringify(agent) });
  const named = { ...request, agent };
  return { request: named, plan: await client.planOrder(named) };
}

/** A refusal that lacks an agent lists those that are ready. */
function namesOffered(plan: OrderPlan | Refusal): readonly string[] {
  if (!isRefusal(plan) || plan.code !== 'E_AGENT_NOT_FOUND') return [];
  return (plan.details ?? []).map((line) => line.split(':')[0] ?? '').filter((name) => name !== '');
}

/** By name or by number; anything else is no answer. */
async function askForAgent(names: readonly string[], ask: AskLine): Promise<string | null> {
  const list = names.map((name, at) => `  ${at + 1}  ${name}\n`).join('');
  const answer = (await ask(`which agent?\n${list}name or number: `))?.trim() ?? '';
  return names.find((name, at) => name === answer || String(at + 1) === answer) ?? null;
}
