import type { FinishedTask } from '../../../src/api/overview/overview-contract.ts';
import { applyWork, discardWork, retry } from '../../node/task-actions.ts';
import { ActionButton, ActionNote, useAction } from '../../parts/action.tsx';
import { counted, durationText, moneyText } from '../../parts/format.ts';
import { goTo } from '../../parts/route.ts';
import { Row } from '../../parts/rows.tsx';
import { KeyHint } from '../../parts/shell/key-hint.tsx';
import { Shape, verdictOf } from '../../parts/verdict.tsx';
import { TaskLink } from './task-link.tsx';
import { Size } from './work-facts.tsx';

/** Work that is over: its verdict in words, time and cost, and what is left to do with it. */
export function FinishedRow({ task }: { readonly task: FinishedTask }) {
  const { id, title, summary, work } = task;
  const action = useAction(id);
  const { kind, word } = verdictOf(summary);
  const isWaiting = work === 'waiting' && action.state.value.kind !== 'done';
  const apply = () => void action.run(() => applyWork(id));
  const diff = `/tasks/${id}?show=diff`;
  return (
    <Row
      id={id}
      href={`/tasks/${id}`}
      keys={{ d: () => goTo(diff), ...(isWaiting && { a: apply }) }}
      class={`finished ${kind}`}
    >
      <div class="line">
        <Shape kind={kind} />
        <TaskLink id={id} title={title} />
        <span class="facts">
          <span class="agent">{summary.agent}</span>
          <span class="result">
            {word}
            {kind === 'failed'
              ? `: ${summary.message}`
              : kind === 'checked'
                ? `, ${counted(summary.checks.total, 'check')}`
                : ''}
            {work !== null && work !== 'waiting' && <span class="muted">, {work}</span>}
          </span>
          <Size lines={summary.lines} files={summary.files} />
          <span class="took">{durationText(summary.durationMs)}</span>
          <span class="cost">{summary.costUsd > 0 ? moneyText(summary.costUsd) : ''}</span>
        </span>
        <span class="buttons">
          <ActionNote action={action} />
          {isWaiting && (
            <>
              <ActionButton action={action} onPress={apply} kind="main" hint="a">
                Apply
              </ActionButton>
              <ActionButton action={action} onPress={() => void action.run(() => discardWork(id))}>
                Discard
              </ActionButton>
            </>
          )}
          {kind === 'failed' && (
            <ActionButton action={action} onPress={() => void action.run(() => retry(id))}>
              Retry
            </ActionButton>
          )}
          <a class="button plain" href={kind === 'failed' ? `/tasks/${id}?show=checks` : diff}>
            {kind === 'failed' ? 'Why' : 'Diff'}
            {kind !== 'failed' && <KeyHint of="d" />}
          </a>
        </span>
      </div>
    </Row>
  );
}
