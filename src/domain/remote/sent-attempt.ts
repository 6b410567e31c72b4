import type { CheckResult, MadeCheck } from '../execution/check-result.ts';
import type { Fact } from '../execution/fact.ts';
import type { SentFact } from './sent-fact.ts';
import { receiverName } from './sent-terms.ts';

type FactOf<Kind extends SentFact['kind']> = Extract<SentFact, { readonly kind: Kind }>;

/** The run of another node, as far as it is known here. Its program started there. */
export function attemptOfTaken({ runId, agent, node, at }: FactOf<'taken'>) {
  return {
    runId,
    agent: receiverName({ agent, node }),
    alternative: null,
    startedAt: at,
    isLaunched: true,
    resumed: null,
    session: null,
    model: null,
    end: null,
    ended: null,
    collected: null,
    verified: null,
  };
}

interface AnsweredAttempt {
  readonly end: EndedFact['end'];
  readonly model: string | null;
  readonly ended: EndedFact;
  readonly verified: Extract<Fact, { readonly kind: 'verified' }>;
}

type EndedFact = Extract<Fact, { readonly kind: 'ended' }>;

/** The end of that run, by the answer of its node. */
export function attemptOfAnswer({ runId, answer, at }: FactOf<'answered'>): AnsweredAttempt {
  const { code, message, summary, spend, after } = answer;
  const end =
    answer.failureClass === null
      ? ({ kind: 'finished', claim: null } as const)
      : ({ kind: 'failed', code: code ?? 'unknown', message, claim: null } as const);
  const { costUsd, tokensInput, tokensOutput } = spend;
  const spent = { costUsd, tokens: tokensInput + tokensOutput, tokensInput, tokensOutput, tier: null };
  const facts = { runId: runId ?? '', end, spend: spent, warnings: [], progress: null, at };
  return {
    end,
    model: answer.model?.name ?? null,
    ended: { kind: 'ended', ...facts, ...(summary !== '' && { summary }) },
    verified: { kind: 'verified', runId: runId ?? '', results: after, made: after.flatMap(madeOf), commit: null },
  };
}

/** The checks ran there: here only their results are known. */
function madeOf({ id, kind, command, result, message, exitCode, tail, durationMs }: CheckResult): readonly MadeCheck[] {
  if (result === 'not-checkable') return [];
  const expects = 'exit-code-0';
  const ran = { argv: null, expects, path: null, signal: null, stdoutTail: tail, stderrTail: '' } as const;
  return [{ id, kind, command, result, reason: message, exitCode, durationMs, ...ran }];
}
