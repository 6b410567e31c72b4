import { quotaUntil } from '../../domain/agent/quota.ts';
import { assertNever } from '../../domain/assert-never.ts';
import { type EndCause, type FinalAnswer, judgeExit } from '../../domain/execution/judge-exit.ts';
import { type DaySpent, roundUsd } from '../../domain/order/budget.ts';
import type { OrderWarning } from '../../domain/order/warning.ts';
import type { BoundedLaunch, EndedFact, RunLimits, StopReason } from './attempt.ts';
import { noAnswer } from './model-reach.ts';
import type { WatchEnd } from './watch-process.ts';

export interface SeenEnd {
  readonly seen: WatchEnd;
  readonly request: Pick<BoundedLaunch, 'run' | 'limits' | 'account' | 'stop' | 'sparing'>;
  /** Its driver reads the events of one program, which are all that it prints on stdout. */
  readonly isVendor: boolean;
  readonly wallMs: number;
  /** Hosts outside of its grant that it tried to reach, as `name:port`. */
  readonly refusedHosts: readonly string[];
  /** Why the host of its model could not be reached when it ended; null if it could. */
  readonly unreached: string | null;
}

/** The judged end of a process that was watched until it was gone. */
export function judgeEnd(ended: SeenEnd): Omit<EndedFact, 'kind' | 'runId' | 'at'> {
  const { request, refusedHosts, unreached } = ended;
  const { limits } = request;
  const failure = withUnreached(withRefusedHost(ended.seen.failure, refusedHosts), unreached);
  const seen = { ...ended.seen, failure };
  const { exit, spend, progress, summary, lastWords, complaint } = seen;
  const warnings = [...seen.warnings, ...hostWarnings(refusedHosts)];
  const cause = quotaOf(ended) ?? causeOf(seen, limits, request);
  const end = judgeExit({ exit, answer: answerOf(ended), cause, complaint, rails: limits.policy });
  // The summary of a run that finished has them.
  const said = summary === null ? lastWords !== null && { lastWords } : { summary };
  return { end, spend, warnings, progress, ...said };
}

/** Vendors say that their model did not answer; Baton saw which host it is, and why. */
function withUnreached(failure: WatchEnd['failure'], unreached: string | null): WatchEnd['failure'] {
  if (failure?.code !== 'model-unavailable' || unreached === null) return failure;
  return noAnswer(unreached, failure.waitedSeconds);
}

/** Its sandbox, not its vendor, refused the request that it gave up on: logging in again would change nothing. */
function withRefusedHost(failure: WatchEnd['failure'], refused: readonly string[]): WatchEnd['failure'] {
  if (failure === null || refused.length === 0) return failure;
  const { hosts = [], isRefusedByProxy = false } = failure;
  const blamed = refused.filter((host) => hosts.some((each) => nameOf(each) === nameOf(host)));
  const named = blamed.length > 0 ? blamed : isRefusedByProxy ? refused : [];
  if (named.length === 0) return failure;
  return { ...failure, code: 'permission-denied', message: `its sandbox does not let it reach ${allowing(named)}` };
}

function hostWarnings(hosts: readonly string[]): readonly OrderWarning[] {
  if (hosts.length === 0) return [];
  const message = `it tried to reach ${allowing(hosts)}`;
  return [{ kind: 'host-refused', code: null, path: null, message }];
}

function allowing(hosts: readonly string[]): string {
  const [first = ''] = hosts;
  return `${hosts.map(nameOf).join(', ')}, which is not allowed; the order (net: ${nameOf(first)}) or network.restricted can allow it`;
}

/** The port is left out where it is the usual one. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:(?:443|80)$/, '');
}

/** The vendor's refusal outranks the failure that the agent reports for it, and no other cause. */
function quotaOf({ seen: { quota, cause, failure }, request, wallMs }: SeenEnd): EndCause | null {
  const isByLimit = cause !== null && cause !== 'failure' && cause !== 'unavailable';
  if (quota === null || isByLimit || (failure !== null && failure.code !== 'model-unavailable')) return null;
  const { run, limits, account = null } = request;
  const { onQuota = 'wait', hitsBefore = 0 } = limits.quota ?? {};
  const until = quotaUntil({ resetsAt: quota.resetsAt, nowMs: wallMs, hitsBefore, seed: run.runId });
  return { kind: 'quota', end: { kind: 'out-of-quota', ...quota, account, until, onQuota } };
}

function causeOf(
  seen: WatchEnd,
  { policy, budget }: RunLimits,
  { stop, sparing }: SeenEnd['request'],
): EndCause | null {
  const { cause, spend, failure } = seen;
  switch (cause) {
    case null:
    case 'failure':
    case 'unavailable':
    case 'linger':
      return failure && { kind: 'failure', code: failure.code, message: failure.message };
    case 'stop':
      return (stop.aborted ? stop : sparing)?.reason as StopReason;
    case 'timeout':
      return { kind: 'timeout', seconds: policy.timeoutSeconds };
    case 'heartbeat':
      return { kind: 'silence', seconds: policy.heartbeat.intervalSeconds * policy.heartbeat.missedBeatsMax };
    case 'day':
      return { kind: 'budget', message: overDay(seen.day), cap: 'day' };
    case 'budget':
      return { kind: 'budget', message: overBudget(budget, spend) };
    default:
      return assertNever(cause);
  }
}

function overBudget({ costUsdMax, tokensMax }: RunLimits['budget'], { costUsd, tokens }: WatchEnd['spend']): string {
  const caps = [
    ...(costUsdMax === null ? [] : [`$${roundUsd(costUsdMax)}`]),
    ...(tokensMax === null ? [] : [`${tokensMax} tokens`]),
  ];
  return `it went over its budget of ${caps.join(' and ')}; this run took $${roundUsd(costUsd)} and ${tokens} tokens`;
}

/** The sentence about a day whose money is spent. */
export function overDay(day: DaySpent | null): string {
  const { usd = 0, usdMax = 0 } = day ?? {};
  return `the runs of today have cost $${roundUsd(usd)}, and the day's cap is $${usdMax} (budgets.day_usd)`;
}

function answerOf({ seen, isVendor }: SeenEnd): FinalAnswer {
  const { claim, malformed, isUnderstood, lastOutput, exit } = seen;
  const hasSucceeded = exit.kind === 'exited' && exit.exitCode === 0;
  if (isVendor && hasSucceeded && !isUnderstood) return { kind: 'malformed', message: gibberish(lastOutput) };
  if (malformed !== null) {
    const { message, isTooLarge = false } = malformed;
    return { kind: 'malformed', message, isTooLarge };
  }
  return claim === null ? { kind: 'none' } : { kind: 'claim', claim };
}

const QUOTED_CHARACTERS_MAX = 200;

function gibberish(lastOutput: string | null): string {
  if (lastOutput === null) return 'it printed nothing and called no tool';
  return `its output is not in the expected format; its last line: ${lastOutput.slice(0, QUOTED_CHARACTERS_MAX)}`;
}
