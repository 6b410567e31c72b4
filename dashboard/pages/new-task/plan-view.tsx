import { useEffect, useState } from 'preact/hooks';
import type { AnswerOf } from '../../../src/api/node-client.ts';
import { call } from '../../node/call-node.ts';
import { wordsOf } from '../../node/node-error.ts';
import { durationText, moneyText } from '../../parts/format.ts';
import { type Draft, orderOf } from './task-draft.ts';

type Plan = AnswerOf<'planOrder'>;
export type Offer = NonNullable<Plan['offer']>;

/** A plan is asked for when typing pauses. */
const PAUSE_MS = 500;

interface PlanProps {
  readonly draft: Draft;
  readonly workspace: string;
  readonly onCheck: (check: string) => void;
  /** The plan that is shown now; null while there is none. */
  readonly onOffer: (offer: Offer | null) => void;
  readonly isAllowed: boolean;
  readonly onAllow: (isAllowed: boolean) => void;
}

/** Four lines: who and where, what it may touch, how it is checked, what it may cost. */
export function PlanView({ draft, workspace, onCheck, onOffer, isAllowed, onAllow }: PlanProps) {
  const [plan, setPlan] = useState<Plan | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const key = JSON.stringify(draft);
  useEffect(() => {
    if (draft.text.trim() === '' || workspace === '') return undefined;
    let isOld = false;
    onOffer(null);
    const timer = setTimeout(async () => {
      try {
        const found = await call('planOrder', { ...orderOf(draft, workspace), isAttended: true });
        if (isOld) return;
        setPlan(found);
        setProblem(null);
        onOffer(found.offer ?? null);
      } catch (error) {
        if (!isOld) setProblem(error);
      }
    }, PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [key, workspace]);
  if (problem !== null) {
    const { message, hint } = wordsOf(problem);
    return (
      <div class="trouble">
        <p>{message}</p>
        {hint !== null && <p class="muted">{hint}</p>}
      </div>
    );
  }
  if (plan === null) return <p class="muted">Describe the task to see its plan.</p>;
  const needs = plan.offer?.needs ?? null;
  return (
    <>
      <PlanLines plan={plan} onCheck={onCheck} />
      {needs !== null && <Needs needs={needs} isAllowed={isAllowed} onAllow={onAllow} />}
    </>
  );
}

type NeedsProps = Pick<PlanProps, 'isAllowed' | 'onAllow'> & { readonly needs: NonNullable<Offer['needs']> };

/** Paths and network beyond the bounds of this node: the order runs only with a yes. */
function Needs({ needs: { readPaths, writePaths, isWholeNetwork }, isAllowed, onAllow }: NeedsProps) {
  const asked = [
    ...readPaths.map((path) => `read ${path}`),
    ...writePaths.map((path) => `read and write ${path}`),
    ...(isWholeNetwork ? ['use the whole network'] : []),
  ];
  return (
    <label class="check-field">
      <input type="checkbox" checked={isAllowed} onChange={({ currentTarget }) => onAllow(currentTarget.checked)} />
      <span class="warning">It asks to {asked.join(', to ')}. Allow it</span>
    </label>
  );
}

function PlanLines({ plan, onCheck }: { readonly plan: Plan; readonly onCheck: (check: string) => void }) {
  const { agent, workspace, git, workplace, network, sandbox, checks, suggestedChecks, warnings } = plan;
  const where = workplace === 'worktree' ? 'in a worktree of' : workplace === 'waits' ? 'waits for' : 'in';
  const state =
    git === null
      ? 'no git, so no undo'
      : `${git.branch ?? 'no branch'}, ${git.changedFiles === 0 ? 'clean' : `${git.changedFiles} files changed`}`;
  return (
    <section class="plan" aria-label="Plan">
      <dl class="pairs">
        <dt>agent</dt>
        <dd>
          {agent.name} {where} <code>{workspace}</code> ({state})
        </dd>
        <dt>may</dt>
        <dd>
          write {plan.writePaths.length === 0 ? 'nothing' : plan.writePaths.join(', ')}; network {network.toLowerCase()}
          {plan.hosts.length > 0 && ` (${plan.hosts.join(', ')})`};{' '}
          {sandbox === 'none' ? 'not sandboxed' : 'in a sandbox'}
        </dd>
        <dt>checks</dt>
        <dd>
          {checks.length === 0 ? (
            <span class="warning">none: the work will be unchecked</span>
          ) : (
            <code>{checks.join('; ')}</code>
          )}
          {checks.length === 0 &&
            suggestedChecks.map((check) => (
              <button key={check} type="button" class="button plain small" onClick={() => onCheck(check)}>
                use {check}
              </button>
            ))}
        </dd>
        <dt>at most</dt>
        <dd>
          {durationText(plan.timeoutSeconds * 1_000)} an attempt, {plan.retries}{' '}
          {plan.retries === 1 ? 'retry' : 'retries'},{' '}
          {plan.budgetUsd !== null ? (
            moneyText(plan.budgetUsd)
          ) : plan.costsMoney ? (
            <span class="warning">no cap on money</span>
          ) : (
            'costs nothing'
          )}
        </dd>
      </dl>
      {[...warnings, ...(plan.sandboxMissing === null ? [] : [plan.sandboxMissing])].map((warning) => (
        <p key={warning} class="warning">
          ! {warning}
        </p>
      ))}
    </section>
  );
}
