import type { RunningTask } from '../../../src/api/overview/overview-contract.ts';
import { overview } from '../../node/overview.ts';
import { ActionButton, ActionNote, useAction } from '../../parts/action.tsx';
import { counted, countText, durationText, moneyText, numberOf } from '../../parts/format.ts';
import { LongText } from '../../parts/long-text.tsx';
import { useKeys } from '../../parts/shell/keys.ts';
import { Ago, At } from '../../parts/time.tsx';
import { Verdict, type VerdictKind, verdictOf } from '../../parts/verdict.tsx';
import { type TaskDeed, taskDeeds } from './task-deeds.ts';
import type { ShownTask } from './task-page.tsx';

/** The number, the verdict in a sentence, who and how much, and the things that one can do now. */
export function TaskHead({ shown, onChanged }: { readonly shown: ShownTask; readonly onChanged: () => void }) {
  const { task } = shown;
  const action = useAction(task.id);
  const review = overview.value.value?.needsYou.find((item) => item.task === task.id) ?? null;
  const deeds = taskDeeds(shown, review);
  const run = async (deed: TaskDeed) => {
    const work = await deed.ask();
    if (work !== null && (await action.run(work))) onChanged();
  };
  const keyed = deeds.filter(({ key }) => key !== undefined);
  useKeys(keyed.map((deed) => ({ keys: deed.key ?? '', does: deed.word.toLowerCase(), run: () => void run(deed) })));
  return (
    <header class="task-head">
      <div class="title-line">
        <span class="number" title={task.id}>
          {numberOf(task.id)}
        </span>
        <h1>{task.title}</h1>
        <span class="space" />
        <span class="buttons">
          <ActionNote action={action} />
          {deeds
            .filter(({ isMore }) => !isMore)
            .map((deed) => (
              <ActionButton
                key={deed.word}
                action={action}
                kind={deed.kind ?? 'plain'}
                onPress={() => void run(deed)}
                {...(deed.key !== undefined && { hint: deed.key })}
              >
                {deed.word}
              </ActionButton>
            ))}
          <More deeds={deeds.filter(({ isMore }) => isMore)} onPick={(deed) => void run(deed)} />
        </span>
      </div>
      <Sentence shown={shown} />
      <Facts shown={shown} />
    </header>
  );
}

function More({ deeds, onPick }: { readonly deeds: readonly TaskDeed[]; readonly onPick: (deed: TaskDeed) => void }) {
  if (deeds.length === 0) return null;
  return (
    <details class="menu">
      <summary class="button plain">More</summary>
      <div class="panel list">
        {deeds.map((deed) => (
          <button
            key={deed.word}
            type="button"
            class={deed.kind === 'danger' ? 'danger' : ''}
            onClick={(event) => {
              event.currentTarget.closest('details')?.removeAttribute('open');
              onPick(deed);
            }}
          >
            {deed.word}
          </button>
        ))}
      </div>
    </details>
  );
}

/** The verdict in a sentence: failed: npm test exit 1 after the work, passed before. */
function Sentence({ shown: { task, report } }: { readonly shown: ShownTask }) {
  const { kind, word, why } = stateOf({ task, report });
  return (
    <p class="sentence">
      <Verdict kind={kind} word={word} />
      {why !== '' && <LongText id={`why-${task.id}`} text={why} lines={2} />}
    </p>
  );
}

interface StateInWords {
  readonly kind: VerdictKind;
  readonly word: string;
  readonly why: string;
}

function stateOf({ task, report }: ShownTask): StateInWords {
  const { status, reason } = task;
  const live = task.runs.find((run) => run.endedAt === null);
  if (status === 'in-progress' && live) {
    return { kind: 'waiting', word: 'running', why: live.activity?.text ?? (live.isInterrupted ? 'interrupted' : '') };
  }
  if (report?.isOver && report.summary && report.verdict) {
    const shown = verdictOf({ ...report, verdict: report.verdict });
    return { ...shown, why: whyOf(report, report.summary.message) };
  }
  if (status === 'ready' || status === 'backlog') {
    const waits = task.quota
      ? `until ${task.quota.account} has quota again`
      : task.missingAgent
        ? `for ${task.missingAgent}`
        : task.remote?.direction === 'sent'
          ? `for ${task.remote.to.join(', ') || 'another node'} to accept it`
          : '';
    return { kind: 'waiting', word: 'waiting', why: waits || (reason ?? '') };
  }
  const kinds: Readonly<Record<string, VerdictKind>> = { done: 'checked', cancelled: 'unchecked', review: 'needs-you' };
  return { kind: kinds[status] ?? 'failed', word: status, why: reason ?? '' };
}

/** The other node, how it stands there, and when it is expected. */
function RemoteFacts({ remote }: { readonly remote: NonNullable<ShownTask['task']['remote']> }) {
  const { direction, node, agent, to, status, ended, progress, etaAt, isOverdue, theirTask, silentSince } = remote;
  const isSent = direction === 'sent';
  return (
    <>
      <Fact name={isSent ? 'on' : 'for'}>
        {node === null ? `${to.join(', ') || 'another node'}, not accepted yet` : `${agent ?? ''} on ${node}`}
        {theirTask !== null && ` (${theirTask})`}
      </Fact>
      {ended !== null && isSent && <Fact name="there">{ended}</Fact>}
      {ended === null && status !== null && (
        <Fact name="there">
          {status.replaceAll('_', ' ')}
          {progress !== null && `, ${Math.round(progress)} %`}
        </Fact>
      )}
      {silentSince !== null && (
        <Fact name="silent">
          for <Ago at={silentSince} how="age" />
        </Fact>
      )}
      {ended === null && etaAt !== null && (
        <Fact name="expected">
          <At at={etaAt} />
          {isOverdue && ', late'}
        </Fact>
      )}
    </>
  );
}

/** A failure is a different thing if the check passed before. */
function whyOf({ checks }: NonNullable<ShownTask['report']>, message: string): string {
  const fresh = checks.filter(({ change }) => change === 'new failure');
  if (fresh.length === 0) return message;
  const before = fresh.every(({ before }) => before === 'passed') ? ', passed before' : '';
  return `${message}${before}`;
}

interface WorkGlance {
  readonly model: string | null;
  /** The spend of a live run; null until its agent reports a figure. */
  readonly spend: RunningTask['spend'];
}

/** The model of the work and what it costs so far, where the overview has the task. */
function glanceAt(task: string): WorkGlance {
  const shown = overview.value.value;
  const running = shown?.running.find(({ id }) => id === task);
  if (running) return running;
  const waiting = shown?.needsYou.find((item) => item.task === task)?.work;
  const finished = shown?.finished.find(({ id }) => id === task)?.summary;
  return { model: (waiting ?? finished)?.model ?? null, spend: null };
}

function Facts({ shown: { task, report } }: { readonly shown: ShownTask }) {
  const run = task.runs.at(-1);
  const summary = report?.summary ?? null;
  const agent = run?.agent ?? task.agent;
  const { model, spend } = glanceAt(task.id);
  return (
    <dl class="task-facts">
      <Fact name="status">
        {task.status}, since <At at={task.lastTransitionAt} />
      </Fact>
      {agent && (
        <Fact name="agent">
          {agent}
          {model !== null && model !== agent && <span class="muted"> {model}</span>}
        </Fact>
      )}
      {task.remote !== null && <RemoteFacts remote={task.remote} />}
      {run && run.endedAt === null && (
        <Fact name="running for">
          <Ago at={run.startedAt} how="age" />
        </Fact>
      )}
      {spend !== null && (
        <Fact name="cost so far">
          {spend.costUsd > 0 ? `${moneyText(spend.costUsd)}, ` : ''}
          {countText(spend.tokens)} tokens
        </Fact>
      )}
      {summary && (
        <>
          <Fact name="took">
            {durationText(summary.durationMs)}
            {summary.runs > 1 && ` in ${counted(summary.runs, 'attempt')}`}
          </Fact>
          <Fact name="cost">
            {summary.costUsd > 0 ? moneyText(summary.costUsd) : 'none reported'}
            {summary.tokens > 0 && `, ${countText(summary.tokens)} tokens`}
          </Fact>
          <Fact name="changed">{counted(report?.changed.length ?? 0, 'file')}</Fact>
        </>
      )}
      {task.work !== null && <Fact name="work">{task.work === 'waiting' ? 'not applied yet' : task.work}</Fact>}
      {report?.workplace && <Fact name="in">{report.workplace.kind === 'worktree' ? 'a worktree' : 'your files'}</Fact>}
      {task.parentId !== null && (
        <Fact name="part of">
          <a href={`/tasks/${task.parentId}`}>{numberOf(task.parentId)}</a>
        </Fact>
      )}
      {task.dependsOn.length > 0 && (
        <Fact name="after">
          {task.dependsOn.map((id) => (
            <a key={id} href={`/tasks/${id}`}>
              {numberOf(id)}{' '}
            </a>
          ))}
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
