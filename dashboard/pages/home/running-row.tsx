import type { RunningTask } from '../../../src/api/overview/overview-contract.ts';
import { say, stopTask } from '../../node/task-actions.ts';
import { type Action, ActionButton, ActionNote, useAction } from '../../parts/action.tsx';
import { askText } from '../../parts/ask.tsx';
import { countText, moneyText, numberOf } from '../../parts/format.ts';
import { Row } from '../../parts/rows.tsx';
import { Ago, Until } from '../../parts/time.tsx';
import { TaskLink } from './task-link.tsx';
import { Size } from './work-facts.tsx';

/** An agent at work: what it does now and for how long, how far it is, what it printed last, what it cost so far. */
export function RunningRow({ task }: { readonly task: RunningTask }) {
  const { id, title, run, spend, size, lastLine, endsAt } = task;
  const action = useAction(id);
  const stop = () => void action.run(() => stopTask(id));
  const talk = () => void askSay(id, title, action);
  return (
    <Row id={id} href={`/tasks/${id}`} keys={{ s: talk, x: stop }} class="running">
      <div class="line">
        <TaskLink id={id} title={title} />
        <span class="facts">
          <span class="agent">{run?.agent ?? task.agent ?? ''}</span>
          <span class="activity">
            {run?.activity ? (
              <>
                {run.activity.text} · <Ago at={run.activity.since} how="age" />
              </>
            ) : task.remote?.direction === 'sent' ? (
              <Elsewhere remote={task.remote} />
            ) : run?.isInterrupted ? (
              'interrupted'
            ) : (
              'working'
            )}
          </span>
          <Progress task={task} />
          {size !== null && <Size lines={size} files={size.files} />}
          {spend !== null && (
            <span class="cost" title={`${countText(spend.tokens)} tokens so far`}>
              {spend.costUsd > 0 ? moneyText(spend.costUsd) : `${countText(spend.tokens)} tokens`}
            </span>
          )}
          {endsAt !== null && (
            <span class="left">
              ends <Until at={endsAt} />
            </span>
          )}
        </span>
        <span class="buttons">
          <ActionNote action={action} />
          <ActionButton action={action} onPress={talk} hint="s">
            Say
          </ActionButton>
          <ActionButton action={action} onPress={stop} hint="x" kind="danger">
            Stop
          </ActionButton>
        </span>
      </div>
      <Overlaps task={task} />
      {lastLine !== null && <div class="last-line mono">{lastLine}</div>}
    </Row>
  );
}

/** Others that change the same files at this moment. */
function Overlaps({ task: { overlaps } }: { readonly task: RunningTask }) {
  return (
    <>
      {overlaps.map(({ task, paths }) => (
        <div key={task ?? ''} class="overlap warning">
          ! {task === null ? 'a person' : <a href={`/tasks/${task}`}>{numberOf(task)}</a>} changes the same files:{' '}
          <span class="mono">{paths.join(', ')}</span>
        </div>
      ))}
    </>
  );
}

/** Another node runs it: how it stands there, and when it is expected. */
function Elsewhere({ remote }: { readonly remote: NonNullable<RunningTask['remote']> }) {
  const { node, status, etaAt, note, silentSince } = remote;
  return (
    <>
      on {node}: {note || (status ?? 'accepted').replaceAll('_', ' ')}
      {etaAt !== null && (
        <>
          , expected <Until at={etaAt} />
        </>
      )}
      {silentSince !== null && (
        <span class="warning">
          ; {node} silent for <Ago at={silentSince} how="age" />
        </span>
      )}
    </>
  );
}

/** The phase or the share that its agent reports, and which attempt it is. */
function Progress({ task: { progress, attempt, attempts, remote } }: { readonly task: RunningTask }) {
  const percentage = progress?.percentage ?? remote?.progress ?? null;
  return (
    <span class="progress">
      {percentage !== null && (
        <>
          <meter min={0} max={100} value={percentage} aria-label="progress" />
          <span>{Math.round(percentage)} %</span>
        </>
      )}
      {progress?.phase && <span>{progress.phase}</span>}
      {attempt > 1 && (
        <span class="warning">
          attempt {attempt} of {attempts}
        </span>
      )}
    </span>
  );
}

async function askSay(task: string, title: string, action: Action): Promise<void> {
  const text = await askText({ title: `Say to the agent: ${title}`, label: 'Your words', submit: 'Say' });
  if (text !== null) await action.run(() => say(task, text));
}
