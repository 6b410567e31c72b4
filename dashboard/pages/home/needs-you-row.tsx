import type { NeedsYou } from '../../../src/api/overview/overview-contract.ts';
import { answer } from '../../node/task-actions.ts';
import { type Action, ActionButton, ActionNote, useAction } from '../../parts/action.tsx';
import { goTo } from '../../parts/route.ts';
import { Row } from '../../parts/rows.tsx';
import { KeyHint } from '../../parts/shell/key-hint.tsx';
import { Ago, Until } from '../../parts/time.tsx';
import { Shape, type VerdictKind } from '../../parts/verdict.tsx';
import { type Deeds, deedsOf, pageOf } from './deeds.ts';
import { TaskLink } from './task-link.tsx';
import { sizeText, WorkFacts } from './work-facts.tsx';

/** One thing that only a person can settle: who asks, why, until when, and the buttons that settle it. */
export function NeedsYouRow({ item, isGone }: { readonly item: NeedsYou; readonly isGone: boolean }) {
  const action = useAction(item.id);
  const deeds = deedsOf(item, action);
  const diff = item.task !== null && item.work !== null ? `/tasks/${item.task}?show=diff` : null;
  const page = pageOf(item);
  const isOver = isGone || action.state.value.kind === 'done';
  const { main, back, stop } = deeds;
  return (
    <Row
      id={item.id}
      {...(page !== null && { href: page })}
      keys={{
        ...(main && { a: main.run }),
        ...(back && { r: back.run }),
        ...(stop && { x: stop.run }),
        ...(diff && { d: () => goTo(diff) }),
      }}
      class={`needs ${isOver ? 'over' : ''}`}
    >
      <div class="line">
        <span class="kind">
          <Shape kind="needs-you" /> {item.kind}
        </span>
        {item.task === null ? <span class="title">{item.title}</span> : <TaskLink id={item.task} title={item.title} />}
        <span class="facts">
          <span class="agent">{item.owner}</span>
          {item.work !== null && <WorkFacts work={item.work} />}
          <Deadline item={item} />
        </span>
      </div>
      <Reviews item={item} />
      <div class="second">
        <Reason item={item} />
        <span class="buttons">
          <ActionNote action={action} />
          {isGone && action.state.value.kind === 'idle' && <span class="note done">settled elsewhere</span>}
          {!isOver && <Buttons item={item} action={action} deeds={deeds} />}
          {diff !== null && (
            <a class="button plain" href={diff}>
              Diff
              <KeyHint of="d" />
            </a>
          )}
        </span>
      </div>
    </Row>
  );
}

function Buttons({
  item,
  action,
  deeds: { main, back, stop, others },
}: {
  item: NeedsYou;
  action: Action;
  deeds: Deeds;
}) {
  return (
    <>
      {main && (
        <ActionButton action={action} onPress={main.run} kind="main" hint="a">
          {main.word}
        </ActionButton>
      )}
      {back && (
        <ActionButton action={action} onPress={back.run} hint="r">
          {back.word}
        </ActionButton>
      )}
      {stop && (
        <ActionButton action={action} onPress={stop.run} hint="x" kind="danger">
          {stop.word}
        </ActionButton>
      )}
      {others.map((option) => (
        <ActionButton key={option} action={action} onPress={() => void action.run(() => answer(item.id, option))}>
          {option}
        </ActionButton>
      ))}
    </>
  );
}

/** The reviews of the work so far: each leads to its findings and what became of them. */
function Reviews({ item: { reviews, task } }: { readonly item: NeedsYou }) {
  return (
    <>
      {reviews.map((review) => (
        <a key={review.feedback} class="said" href={`/tasks/${task}?show=reviews`}>
          <Shape kind={kindOf(review)} /> {review.text}
        </a>
      ))}
    </>
  );
}

function kindOf({ state, fates }: NeedsYou['reviews'][number]): VerdictKind {
  if (state === 'asking' || state === 'fixing') return 'waiting';
  if (fates.disputed > 0 || state === 'deciding') return 'needs-you';
  return fates.open > 0 ? 'unchecked' : 'checked';
}

/** The reason to look closely first, then the agent's own account of its work. */
function Reason({ item: { work, why: whole, kind, reviews } }: { readonly item: NeedsYou }) {
  // The row shows the reviews and the size in places of their own.
  const shown = [...reviews.map(({ text }) => text), ...(work === null ? [] : [sizeText(work)])];
  const why = shown.reduce((text, part) => text.replace(`; ${part}`, ''), whole);
  const account = kind === 'review' ? (work?.account ?? null) : null;
  return (
    <span class="why" title={why}>
      {why}
      {account !== null && (
        <>
          {' '}
          <q>{account}</q>
        </>
      )}
    </span>
  );
}

function Deadline({ item: { deadlineAt, default: fallback, line } }: { readonly item: NeedsYou }) {
  if (deadlineAt === null) return line && <Ago at={line.lastTransitionAt} how="age" />;
  return (
    <span class="deadline">
      {fallback ?? 'over'} <Until at={deadlineAt} />
    </span>
  );
}
