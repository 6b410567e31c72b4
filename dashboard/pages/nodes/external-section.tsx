import type { ExternalAgentList, InviteList } from '../../../src/api/external/external-contract.ts';
import { call } from '../../node/call-node.ts';
import { revokeExternal } from '../../node/node-actions.ts';
import { useResource } from '../../node/resource.ts';
import { ActionButton, ActionNote, useAction } from '../../parts/action.tsx';
import { askSure } from '../../parts/ask.tsx';
import { Command } from '../../parts/command.tsx';
import { counted, numberOf, shortened } from '../../parts/format.ts';
import { param, withParams } from '../../parts/route.ts';
import { Loaded } from '../../parts/states.tsx';
import { Ago, Until } from '../../parts/time.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import { type ExternalRow, externalRows } from './external-rows.ts';

const ROWS_MAX = 100;

/** Programs that Baton does not start: invited, joined, revoked. */
export function ExternalSection() {
  const found = useResource(
    'external',
    async () => {
      const [invites, agents] = await Promise.all([call('listInvites', {}), call('listExternalAgents', { all: true })]);
      return { invites, agents };
    },
    ({ type }) => type.startsWith('external.') && type !== 'external.refused',
  );
  return (
    <section aria-labelledby="external">
      <Loaded of={found} what="External agents">
        {({ invites, agents }) => <External invites={invites} agents={agents} refresh={() => void found.refresh()} />}
      </Loaded>
    </section>
  );
}

interface ExternalProps {
  readonly invites: InviteList;
  readonly agents: ExternalAgentList;
  readonly refresh: () => void;
}

function External({ invites, agents, refresh }: ExternalProps) {
  const rows = externalRows(invites.invites, agents.agents);
  const open = rows.filter(({ isOpen }) => isOpen);
  const isAll = param('external') === 'all';
  const shown = (isAll ? rows : open).slice(0, ROWS_MAX);
  const ended = rows.length - open.length;
  return (
    <>
      <header class="section">
        <h2 id="external">
          External agents <span class="count">{open.length}</span>
        </h2>
        {ended > 0 && (
          <a href={withParams({ external: isAll ? '' : 'all' })}>{isAll ? 'Hide what has ended' : `${ended} ended`}</a>
        )}
        {rows.length > 0 && <a href="/events?type=external.*">What they did</a>}
      </header>
      {shown.length === 0 ? <NoExternal /> : <Table rows={shown} refresh={refresh} />}
      {(isAll ? rows : open).length > ROWS_MAX && (
        <p class="muted">
          The first {ROWS_MAX}; all of them: <code>baton agents --external</code>
        </p>
      )}
    </>
  );
}

function NoExternal() {
  return (
    <div class="invite-hint">
      <p class="empty">
        None. A program that runs elsewhere takes part with a key of its own, within the scopes of its invite; its work
        waits for you.
      </p>
      <Command text="baton invite scout --scope task.read,task.claim,task.update,task.complete" />
    </div>
  );
}

function Table({ rows, refresh }: { readonly rows: readonly ExternalRow[]; readonly refresh: () => void }) {
  return (
    <div class="scrolls">
      <table class="external-table">
        <thead>
          <tr>
            <th>Agent</th>
            <th>State</th>
            <th>May</th>
            <th>Key</th>
            <th>Last call</th>
            <th>Holds</th>
            <th>
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <ExternalLine key={row.id} row={row} refresh={refresh} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ExternalLine({ row, refresh }: { readonly row: ExternalRow; readonly refresh: () => void }) {
  const action = useAction(row.id);
  return (
    <tr>
      <td>
        <strong>{shortened(row.agent, 40)}</strong>
      </td>
      <td>
        <Verdict kind={row.kind} word={row.word} />{' '}
        <span class="muted">
          {row.when === 'until' ? (
            <>
              ends <Until at={row.at} />
            </>
          ) : (
            <Ago at={row.at} />
          )}
        </span>
      </td>
      <td class="scopes">{row.scopes.join(', ')}</td>
      <td class="mono" title={row.key ?? ''}>
        {row.key === null ? '' : shortened(row.key, 17)}
      </td>
      <td>{row.lastCallAt === null ? <span class="muted">none</span> : <Ago at={row.lastCallAt} />}</td>
      <td>
        {row.holds.map((task) => (
          <a key={task} href={`/tasks/${encodeURIComponent(task)}`} title={task}>
            {numberOf(task)}{' '}
          </a>
        ))}
      </td>
      <td class="right">
        <ActionNote action={action} />
        {row.isOpen && action.state.value.kind !== 'done' && (
          <ActionButton
            action={action}
            kind="danger"
            label={`Revoke ${row.agent}`}
            onPress={() => void askToRevoke(row, action).then(refresh)}
          >
            Revoke…
          </ActionButton>
        )}
      </td>
    </tr>
  );
}

async function askToRevoke(
  { id, agent, key, holds }: ExternalRow,
  action: ReturnType<typeof useAction>,
): Promise<void> {
  const isSure = await askSure({
    title: key === null ? `Revoke the invite for ${agent}?` : `Revoke ${agent}?`,
    submit: 'Revoke it',
    isDanger: true,
    body:
      key === null ? (
        <p>Its code no longer enrols anybody.</p>
      ) : (
        <>
          <p>From then on none of its tokens counts and its streams end.</p>
          {holds.length > 0 && <p>It holds {counted(holds.length, 'task')}, free again for others.</p>}
          <p class="muted">It comes back only by a new invite.</p>
        </>
      ),
  });
  if (isSure) await action.run(() => revokeExternal(id));
}
