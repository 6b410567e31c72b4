import type { StoryCheck, StoryItem, StoryLine } from '../../../../src/api/trace/story-contract.ts';
import { answer } from '../../../node/task-actions.ts';
import { ActionButton, ActionNote, useAction } from '../../../parts/action.tsx';
import { actorText, sentenceOf } from '../../../parts/event-sentence.ts';
import { LongText } from '../../../parts/long-text.tsx';
import { withParams } from '../../../parts/route.ts';
import { At, Clock, Until } from '../../../parts/time.tsx';
import { Shape, type VerdictKind } from '../../../parts/verdict.tsx';
import { TurnRow } from './turn-row.tsx';

type Of<Kind extends StoryItem['kind']> = Extract<StoryItem, { readonly kind: Kind }>;

/** One thing of the story, whatever it is. */
export function StoryRow({ item, task, isShown }: { item: StoryItem; task: string; isShown: boolean }) {
  return (
    <div class={`story-row ${item.kind} ${isShown ? 'shown' : ''}`}>
      <span class="when">
        <a href={withParams({ at: String(item.id) })}>
          <Clock at={item.at} />
          <span class="unseen">, link to event {item.id}</span>
        </a>
      </span>
      <div class="what">
        <What item={item} task={task} />
      </div>
    </div>
  );
}

function What({ item, task }: { readonly item: StoryItem; readonly task: string }) {
  switch (item.kind) {
    case 'attempt':
      return (
        <h3>
          Attempt {item.number} <span class="agent">{item.agent}</span>{' '}
          {item.model !== null && <span class="muted">{item.model}</span>}
        </h3>
      );
    case 'turn':
      return <TurnRow turn={item} task={task} />;
    case 'checks':
      return <Checks item={item} />;
    case 'question':
      return <Question item={item} />;
    case 'output':
      return (
        <>
          <span class="by">printed</span>
          <LongText id={`output-${item.id}`} text={item.lines.join('\n')} lines={10} end isMono />
        </>
      );
    case 'told':
      return (
        <>
          <span class="by">{actorText(item.by)} said</span>
          <LongText id={`told-${item.id}`} text={item.text} lines={6} />
        </>
      );
    case 'line':
      return <Line item={item} />;
  }
}

/** A line in words, without its author. */
export function lineText({ type, payload }: StoryLine): string {
  return sentenceOf({ type, payload });
}

function Line({ item }: { readonly item: Of<'line'> }) {
  return (
    <div class={`tone ${item.tone}`}>
      <span class="by">{actorText(item.by)}</span> <LongText id={`line-${item.id}`} text={lineText(item)} lines={3} />
      {item.more.length > 0 && (
        <ul>
          {item.more.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Checks({ item }: { readonly item: Of<'checks'> }) {
  return (
    <>
      <span class="by">
        Checks {item.when} the work{' '}
        <a class="small" href={withParams({ show: 'checks' })}>
          output
        </a>
      </span>
      <ul class="check-lines">
        {item.results.map((check, at) => (
          <li key={at}>
            <Shape kind={checkKind(check)} /> <code>{check.id}</code> <span class="muted">{check.message}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

export function checkKind({ result }: Pick<StoryCheck, 'result'>): VerdictKind {
  if (result === 'passed') return 'checked';
  return result === 'failed' ? 'failed' : 'unchecked';
}

function Question({ item }: { readonly item: Of<'question'> }) {
  const action = useAction(item.question);
  return (
    <div class="tone warn">
      <span class="by">
        <Shape kind="needs-you" /> asks to
      </span>{' '}
      <code>{item.what}</code> {item.why !== '' && <span class="muted">{item.why}</span>}
      {item.answer !== null ? (
        <div>
          answered <strong>{item.answer.option}</strong> by {actorText(item.answer.by)}, <At at={item.answer.at} />
        </div>
      ) : (
        <div class="buttons">
          {item.options.map((option) => (
            <ActionButton
              key={option}
              action={action}
              kind={option === 'yes' ? 'main' : 'plain'}
              onPress={() => void action.run(() => answer(item.question, option))}
            >
              {option === 'yes' ? 'Allow' : option === 'no' ? 'Deny' : option}
            </ActionButton>
          ))}
          {item.deadlineAt !== null && (
            <span class="muted">
              no <Until at={item.deadlineAt} />
            </span>
          )}
          <ActionNote action={action} />
        </div>
      )}
    </div>
  );
}
