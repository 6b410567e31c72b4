import { judgeFurtherRisks, judgeRisks, type PlanRisk } from '../../domain/order/judge-risks.ts';
import { isToBeSent, type OrderPlan, type OrderRequest } from '../../domain/order/order-request.ts';
import { type AskLine, askLine, isInteractive } from '../../platform/terminal.ts';
import { type Call, UsageError } from '../command.ts';
import { printText } from '../output/print.ts';
import { styleOf } from '../output/style.ts';
import { planText } from './plan-text.ts';

/** A risk or a proposal that the operator must agree to before the work begins. */
export interface PlanQuestion extends Pick<PlanRisk, 'fact' | 'instead'> {
  readonly kind: PlanRisk['kind'] | 'suggested-check';
  /** The command that a suggested check would run. */
  readonly check?: string;
  readonly question: string;
}

/** Asks about each suggested check, a missing sandbox, missing git, uncommitted changes in place, and a missing cap on money. */
export function questionsOf(plan: OrderPlan): readonly PlanQuestion[] {
  if (plan.isProgram) return [];
  const proposals = plan.checks.length > 0 ? [] : plan.suggestedChecks.map(aboutSuggested);
  return [...proposals, ...judgeRisks(plan).map(aboutRisk)];
}

const RISK_QUESTIONS: Readonly<Record<PlanRisk['kind'], string>> = {
  'no-sandbox': 'Run the agent without one?',
  'no-git': 'Continue?',
  'dirty-tree': 'Let the agent work among them?',
  'no-cap': 'Continue?',
};

export function aboutRisk(risk: Pick<PlanRisk, 'kind' | 'fact' | 'instead'>): PlanQuestion {
  return { ...risk, question: RISK_QUESTIONS[risk.kind] };
}

/** One by one: of several suggested checks some may take long, or need what a sandbox does not have. */
function aboutSuggested(check: string, at: number): PlanQuestion {
  const why = at === 0 ? 'no check was named; this' : 'this';
  return {
    kind: 'suggested-check',
    check,
    fact: `${why} repository suggests ${JSON.stringify(check)}`,
    question: 'Use it?',
    instead: `--check ${JSON.stringify(check)}`,
  };
}

export interface Agreement {
  /** The suggested checks that the operator accepted. */
  readonly acceptedChecks: readonly string[];
}

export interface AskOptions {
  readonly isYes: boolean;
  readonly isTerminal: boolean;
  readonly ask?: AskLine;
  /** Called once, before the first question. */
  readonly beforeAsking?: () => Promise<void>;
}

/** Asks every question. Without a terminal a risk is refused and a proposal is skipped. */
export async function askAll(questions: readonly PlanQuestion[], asking: AskOptions): Promise<Agreement> {
  const { isYes, isTerminal, ask = askLine } = asking;
  const acceptedChecks: string[] = [];
  if (questions.length > 0 && !isYes && isTerminal) await asking.beforeAsking?.();
  for (const question of questions) {
    const { check } = question;
    const isProposal = check !== undefined;
    if (!isYes && !isTerminal) {
      if (isProposal) continue;
      throw noTerminal(question);
    }
    const isAgreed = isYes || (await isYesTo(question, isProposal, ask));
    if (isProposal && isAgreed) acceptedChecks.push(check);
    else if (!isAgreed && !(isProposal && isAgreed === false))
      throw new UsageError('not started', insteadOf(question), 'not_agreed');
  }
  return { acceptedChecks };
}

const ANSWERS: Readonly<Record<string, boolean>> = { y: true, yes: true, n: false, no: false };
const ANSWERS_ASKED_MAX = 3;

/**
 * An empty line means yes to a proposal and no to a risk. Anything that is neither yes nor no is asked again. Null means end of
 * input or no answer, and starts nothing.
 */
async function isYesTo({ fact, question }: PlanQuestion, isProposal: boolean, ask: AskLine): Promise<boolean | null> {
  let text = `${fact}. ${question}`;
  for (let asked = 0; asked < ANSWERS_ASKED_MAX; asked++) {
    const line = await ask(`${text} ${isProposal ? '[Y/n]' : '[y/N]'} `);
    if (line === null) return null;
    const answer = line.trim().toLowerCase();
    const meant = answer === '' ? isProposal : ANSWERS[answer];
    if (meant !== undefined) return meant;
    text = `please answer y or n. ${question}`;
  }
  return null;
}

function noTerminal({ fact, instead }: PlanQuestion): UsageError {
  return new UsageError(`${fact}, and there is no terminal to ask on`, insteadOf({ instead }), 'needs_answer');
}

function insteadOf({ instead }: Pick<PlanQuestion, 'instead'>): string {
  return instead === '--yes' ? 'add --yes to continue' : `add ${instead}, or --yes to continue anyway`;
}

/** A request whose plan the operator agreed to. */
export interface AgreedRequest<Request = OrderRequest> {
  readonly request: Request;
  /** The operator has seen the plan; it is not shown again. */
  readonly isPlanShown: boolean;
}

/** Asks about the risks of another round of a task; whether the plan was shown. */
export async function agreeToGoOn(call: Call, plan: OrderPlan): Promise<Pick<AgreedRequest, 'isPlanShown'>> {
  const risks = plan.isProgram ? [] : judgeFurtherRisks(plan);
  const { isPlanShown } = await showAndAsk(call, plan, risks.map(aboutRisk));
  return { isPlanShown };
}

/** Shows the plan before its first question: nobody agrees to a plan they have not seen. */
async function showAndAsk(call: Call, plan: OrderPlan, questions: readonly PlanQuestion[]) {
  let isPlanShown = false;
  const { acceptedChecks } = await askAll(questions, {
    isYes: Boolean(call.flags.yes),
    isTerminal: isInteractive() && !call.flags.json,
    beforeAsking: async () => {
      isPlanShown = true;
      await printText(planText(plan, styleOf(call)));
    },
  });
  return { acceptedChecks, isPlanShown };
}

/** The agent of the plan, and the checks that were accepted. */
interface AgreedChoices {
  readonly agent: string | null;
  readonly checks: readonly string[];
}

/** Shows the plan of a request where something has to be agreed to, and asks. */
export async function agree<Request extends Partial<Pick<OrderRequest, 'agent' | 'checks' | 'on' | 'needs'>>>(
  call: Call,
  request: Request,
  plan: OrderPlan,
): Promise<AgreedRequest<Request & AgreedChoices>> {
  const { acceptedChecks, isPlanShown } = await showAndAsk(call, plan, questionsOf(plan));
  const checks = acceptedChecks.length > 0 ? acceptedChecks : (request.checks ?? []);
  // The choice of auto is recorded where the order is accepted, and that of another node when it is sent.
  const isNamed = !plan.isProgram && plan.chosen === undefined && plan.workplace !== 'elsewhere';
  const agent = isNamed ? plan.agent.name : (request.agent ?? null);
  // This node itself is the one that can do it.
  const here = isToBeSent(request) && plan.workplace !== 'elsewhere' ? { on: [], needs: [] } : {};
  // Accepted checks change the plan, so it is shown again.
  const isStillShown = isPlanShown && acceptedChecks.length === 0;
  return { request: { ...request, agent, checks, ...here }, isPlanShown: isStillShown };
}
