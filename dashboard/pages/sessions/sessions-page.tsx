import type { AgentState } from '../../../src/api/overview/overview-contract.ts';
import type { SessionLine } from '../../../src/api/session/session-contract.ts';
import { call } from '../../node/call-node.ts';
import { overview } from '../../node/overview.ts';
import { useResource } from '../../node/resource.ts';
import { Command } from '../../parts/command.tsx';
import { counted, moneyText } from '../../parts/format.ts';
import { Row } from '../../parts/rows.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import { stateOfSession } from './session-state.ts';

/** Tasks that belong together, the newest session first. */
export default function SessionsPage() {
  const sessions = useResource(
    'sessions',
    () => call('listSessions', { limit: 100 }),
    ({ sessionId, type }) => sessionId !== null && /^(task|order|session)\./.test(type),
  );
  return (
    <div class="sessions-page">
      <header class="page-head">
        <h1>Sessions</h1>
      </header>
      <Loaded of={sessions} what="The sessions">
        {({ sessions: found }) =>
          found.length === 0 ? (
            <FirstSession />
          ) : (
            <ul class="rows sessions">
              {found.map((session) => (
                <SessionRow key={session.session_id} session={session} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}

function SessionRow({ session }: { readonly session: SessionLine }) {
  const { session_id: id, name, pattern, totals, cost, created_at: at } = session;
  const href = `/sessions/${encodeURIComponent(id)}`;
  return (
    <Row id={id} href={href} class="session">
      <Verdict {...stateOfSession(session)} />
      <a class="title" href={href} title={id}>
        {name || id}
      </a>
      <span class="muted">{pattern.toLowerCase().replace('_', '-')}</span>
      <span>
        {totals.completed} of {counted(totals.tasks, 'task')}
        {totals.failed > 0 && <span class="removed">, {totals.failed} failed</span>}
        {totals.running > 0 && `, ${totals.running} running`}
      </span>
      <span class="right">{moneyText(cost)}</span>
      <span class="muted right">
        <Ago at={at} />
      </span>
    </Row>
  );
}

/** A file that runs as it is, with agents that are here. */
function exampleOf(agents: readonly AgentState[]): string {
  const agent = agents.find(({ isDefault }) => isDefault) ?? agents.find(({ driver }) => driver !== 'demo');
  return [
    'name: money',
    `agent: ${agent?.name ?? 'claude'}`,
    'check: npm test',
    'tasks:',
    '  - name: tests',
    '    words: add tests for src/money.ts',
    '  - name: docs',
    '    words: describe src/money.ts in docs/money.md',
    '  - name: release',
    '    words: write the changelog',
    '    after: [tests, docs]',
  ].join('\n');
}

function FirstSession() {
  return (
    <div class="first-use">
      <p>
        No session has run here. A session is several tasks that belong together: some at the same time, some after
        others, with one budget and one report at the end.
      </p>
      <ol>
        <li>
          <h2>Write the tasks into session.yaml</h2>
          <Command text={exampleOf(overview.value.value?.agents ?? [])} />
        </li>
        <li>
          <h2>See the graph and what it costs at most</h2>
          <Command text="baton session run session.yaml --dry-run" />
        </li>
        <li>
          <h2>Run it</h2>
          <Command text="baton session run session.yaml" />
        </li>
      </ol>
    </div>
  );
}
