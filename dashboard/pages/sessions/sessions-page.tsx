import type { SessionLine } from '../../../src/api/session-contract.ts';
import { call } from '../../node/call-node.ts';
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

function FirstSession() {
  return (
    <div class="first-use">
      <p>A session is several tasks that belong together: a chain, a graph, a map and a reduce.</p>
      <Command text="baton session run FILE" />
    </div>
  );
}
