import { Suspense } from 'preact/compat';
import type { SessionView } from '../../../src/api/session/session-contract.ts';
import { call } from '../../node/call-node.ts';
import { useResource } from '../../node/resource.ts';
import { ActionButton, ActionNote, useAction } from '../../parts/action.tsx';
import { askSure } from '../../parts/ask.tsx';
import { counted, countText, durationText, moneyText, numberOf } from '../../parts/format.ts';
import { lazyPart } from '../../parts/lazy-part.ts';
import { Loaded, Skeleton } from '../../parts/states.tsx';
import { At } from '../../parts/time.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import type { PageProps } from '../page-table.tsx';
import { stateOfMember, stateOfSession } from './session-state.ts';

const SessionGraph = lazyPart(() => import('./session-graph.tsx'));
/** A larger graph is a picture of nothing: the table has them all. */
const GRAPH_TASKS_MAX = 300;
const ROWS_MAX = 500;

/** One session: its graph, live, its tasks, and its cost by provider and model. */
export default function SessionPage({ name }: PageProps) {
  const session = useResource(
    `session-${name}`,
    () => call('showSession', { session: name }),
    ({ sessionId, type }) => sessionId === name && /^(task|order|run\.(launched|exited|ended)|session)/.test(type),
  );
  return (
    <Loaded of={session} what={`Session ${name}`}>
      {(shown) => (
        <div class="session-page">
          <Head session={shown} onChanged={() => void session.refresh()} />
          {shown.tasks.length <= GRAPH_TASKS_MAX ? (
            <Suspense fallback={<Skeleton />}>
              <SessionGraph session={shown} />
            </Suspense>
          ) : (
            <p class="muted">{counted(shown.tasks.length, 'task')}: too many for a picture.</p>
          )}
          <div class="session-parts">
            <Tasks session={shown} />
            <Costs session={shown} />
          </div>
        </div>
      )}
    </Loaded>
  );
}

function Head({ session, onChanged }: { readonly session: SessionView; readonly onChanged: () => void }) {
  const action = useAction(session.session_id);
  const { totals, limits } = session;
  const act = async (name: 'stopSession' | 'continueSession' | 'retrySession', done: string) => {
    const work = async () => {
      await call(name, { session: session.session_id });
      return done;
    };
    if (await action.run(work)) onChanged();
  };
  const stop = async () => {
    const isSure = await askSure({ title: 'Stop the session?', submit: 'Stop', isDanger: true });
    if (isSure) await act('stopSession', 'stopped');
  };
  return (
    <header class="task-head">
      <div class="title-line">
        <h1>{session.name || session.session_id}</h1>
        <span class="space" />
        <span class="buttons">
          <ActionNote action={action} />
          {session.ended_at === null ? (
            <ActionButton action={action} onPress={() => void stop()} kind="danger">
              Stop
            </ActionButton>
          ) : (
            totals.completed < totals.tasks && (
              <>
                <ActionButton action={action} onPress={() => void act('continueSession', 'it continues')} kind="main">
                  Continue
                </ActionButton>
                <ActionButton action={action} onPress={() => void act('retrySession', 'it is tried again')}>
                  Retry what failed
                </ActionButton>
              </>
            )
          )}
        </span>
      </div>
      <p class="sentence">
        <Verdict {...stateOfSession(session)} />
        <span>
          {totals.completed} of {counted(totals.tasks, 'task')} done, {totals.failed} failed, {totals.skipped} skipped,{' '}
          {totals.running} running, {totals.waiting} waiting
        </span>
      </p>
      <p class="muted">
        {session.pattern.toLowerCase().replace('_', '-')}, since <At at={session.created_at} />,{' '}
        {moneyText(session.cost)}
        {limits.max_cost_usd !== null && ` of ${moneyText(limits.max_cost_usd)}`}
        {limits.at_once !== null && `, ${limits.at_once} at once`}
      </p>
    </header>
  );
}

function Tasks({ session: { tasks } }: { readonly session: SessionView }) {
  return (
    <section class="scrolls">
      <table>
        <thead>
          <tr>
            <th>Task</th>
            <th>State</th>
            <th>Agent</th>
            <th>After</th>
            <th class="right">Attempts</th>
            <th class="right">Took</th>
            <th class="right">Cost</th>
          </tr>
        </thead>
        <tbody>
          {tasks.slice(0, ROWS_MAX).map((task) => (
            <tr key={task.id}>
              <td>
                <a href={`/tasks/${task.id}`} title={task.id}>
                  <span class="muted">{numberOf(task.id)}</span> {task.title}
                </a>
              </td>
              <td title={task.message}>
                <Verdict {...stateOfMember(task)} />
              </td>
              <td>{task.agent ?? ''}</td>
              <td class="muted">{task.depends_on.join(', ')}</td>
              <td class="right">{task.attempts}</td>
              <td class="right">{task.duration_seconds > 0 ? durationText(task.duration_seconds * 1_000) : ''}</td>
              <td class="right">{moneyText(task.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {tasks.length > ROWS_MAX && <p class="muted">and {tasks.length - ROWS_MAX} more</p>}
    </section>
  );
}

function Costs({ session: { cost_summary: cost } }: { readonly session: SessionView }) {
  const rows = (of: Readonly<Record<string, number>>) =>
    Object.entries(of).map(([name, usd]) => (
      <tr key={name}>
        <td>{name}</td>
        <td class="right">{moneyText(usd)}</td>
      </tr>
    ));
  return (
    <section>
      <h2>Cost</h2>
      <p class="muted">
        {countText(cost.tokens_input)} tokens in, {countText(cost.tokens_output)} out
      </p>
      <table>
        <thead>
          <tr>
            <th>Provider</th>
            <th class="right">Cost</th>
          </tr>
        </thead>
        <tbody>{rows(cost.by_provider)}</tbody>
      </table>
      <table>
        <thead>
          <tr>
            <th>Model</th>
            <th class="right">Cost</th>
          </tr>
        </thead>
        <tbody>{rows(cost.by_model)}</tbody>
      </table>
    </section>
  );
}
