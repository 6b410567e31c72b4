import type { ComponentChildren } from 'preact';
import type { NodeStatusAnswer, PeerAgentView, PeerView } from '../../../src/api/federation/federation-contract.ts';
import { ActionButton, ActionNote, useAction } from '../../parts/action.tsx';
import { counted } from '../../parts/format.ts';
import { withParams } from '../../parts/route.ts';
import { Ago } from '../../parts/time.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import type { CapabilityFacts } from './capability-facts.ts';
import { isAskedAbout, keyText, rangeText, stateOf } from './peer-state.ts';
import { askToRemove, askToTrust } from './trust-deeds.tsx';

interface PanelProps {
  readonly status: NodeStatusAnswer;
  readonly capabilities: readonly CapabilityFacts[];
  readonly refresh: () => void;
}

/** The node that the address names, whole. */
export function NodePanel({ name, ...props }: PanelProps & { readonly name: string }) {
  const { status } = props;
  if (name === status.nodeId) return <OwnPanel {...props} />;
  const peer = status.peers.find(({ nodeId }) => nodeId === name);
  if (peer) return <PeerPanel key={name} peer={peer} {...props} />;
  return (
    <Panel name={name}>
      <p class="empty">This node does not know a node of this name now.</p>
    </Panel>
  );
}

function Panel({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <section class="node-panel" aria-labelledby="node">
      <header class="section">
        <h2 id="node" title={name}>
          {name.slice(0, 64)}
        </h2>
        <span class="space" />
        <a class="button plain small" href={withParams({ node: '' })}>
          Close
        </a>
      </header>
      {children}
    </section>
  );
}

function OwnPanel({ status, capabilities }: PanelProps) {
  const { nodeId, transport, federation, keyId, version, trustRule, gapPolicy, seq, agents } = status;
  return (
    <Panel name={nodeId}>
      <dl class="pairs">
        <dt>Federation</dt>
        <dd>
          {federation} over {transport}
        </dd>
        <dt>Key</dt>
        <dd>
          <span class="mono">{keyText(keyId)}</span>{' '}
          <span class="muted">others compare it before they trust this node</span>
        </dd>
        <dt>Accepts</dt>
        <dd>
          {trustRule === 'listed'
            ? 'nodes that you have trusted'
            : 'every node, with the key that it showed first; nothing of those that you remove'}
        </dd>
        <dt>Lost events</dt>
        <dd>{GAP_POLICIES[gapPolicy]}</dd>
        <dt>Sent</dt>
        <dd>{counted(seq, 'event')}</dd>
        <dt>Version</dt>
        <dd>{version}</dd>
      </dl>
      <Agents agents={agents} total={agents.length} node={nodeId} capabilities={capabilities} />
    </Panel>
  );
}

const GAP_POLICIES: Readonly<Record<NodeStatusAnswer['gapPolicy'], string>> = {
  tombstone: 'are recorded one by one after 30 s; reading continues, and a late one is still delivered',
  skip: 'are skipped after 30 s; reading continues',
  halt: 'halt reading until they come',
};

function PeerPanel({ peer, status, capabilities, refresh }: PanelProps & { readonly peer: PeerView }) {
  const action = useAction(peer.nodeId);
  const { nodeId, standing, trust, seenAt, version, room } = peer;
  const isTrustable = trust !== 'trusted' || standing === 'other-key';
  return (
    <Panel name={nodeId}>
      <p class="panel-state">
        <Verdict {...stateOf(peer, isAskedAbout(status, nodeId))} /> <span>{sentenceOf(peer)}</span>
        <span class="buttons">
          <ActionNote action={action} />
          {isTrustable && (
            <ActionButton action={action} onPress={() => void askToTrust(peer, action).then(refresh)}>
              Trust…
            </ActionButton>
          )}
          {standing !== 'removed' && (
            <ActionButton action={action} kind="danger" onPress={() => void askToRemove(nodeId, action).then(refresh)}>
              Remove…
            </ActionButton>
          )}
        </span>
      </p>
      <dl class="pairs">
        <dt>Heard</dt>
        <dd>{seenAt === null ? 'not now' : <Ago at={seenAt} />}</dd>
        <dt>Key</dt>
        <dd>
          <span class="mono">{keyText(peer.keyId)}</span>{' '}
          {trust === 'trusted' && <span class="muted">trusted by you</span>}
          {peer.shownKeyId !== null && (
            <div class="warning">
              ▲ it shows <span class="mono">{keyText(peer.shownKeyId)}</span> now
            </div>
          )}
        </dd>
        <dt>Read here</dt>
        <dd>
          <Reading peer={peer} />
        </dd>
        <dt>Gaps</dt>
        <dd>
          <Gaps peer={peer} />
        </dd>
        <dt>Takes</dt>
        <dd>{room === 0 ? 'no more tasks' : `${counted(room, 'more task')} of other nodes`}</dd>
        <dt>Version</dt>
        <dd>{version === '' ? 'unknown' : version}</dd>
      </dl>
      <Agents agents={peer.agents} total={peer.agentsTotal} node={nodeId} capabilities={capabilities} />
    </Panel>
  );
}

function sentenceOf(peer: PeerView): string {
  const { standing } = peer;
  if (standing === 'removed') return 'nothing of it is accepted';
  if (standing === 'other-key') return 'what it sends under its new key is not accepted';
  const life = lifeSentence(peer);
  const untrusted = 'nothing of it is accepted before you trust it';
  if (standing !== 'asks') return life;
  return peer.life === 'alive' ? untrusted : `${life}; ${untrusted}`;
}

function lifeSentence({ life }: PeerView): string {
  switch (life) {
    case 'alive':
      return 'its heartbeats come';
    case 'silent':
      return 'no heartbeat for more than 60 s; after 90 s it counts as dead';
    case 'dead':
      return 'no heartbeat for more than 90 s; what is sent to it waits, and other nodes may take over its agents';
    case 'left':
      return 'it has left the federation by itself';
    default:
      return 'the shared records do not have it now; what is sent to it waits';
  }
}

function Reading({ peer: { seq, cursor, lag } }: { readonly peer: PeerView }) {
  if (cursor === 0 && lag === 0) return <>nothing of it was for this node yet</>;
  if (lag === 0) return <>everything, up to event {cursor.toLocaleString('en')}</>;
  return (
    <>
      up to event {cursor.toLocaleString('en')} of {seq.toLocaleString('en')}:{' '}
      <strong>{lag.toLocaleString('en')} to read</strong>
    </>
  );
}

function Gaps({ peer: { missing, lost, gaps } }: { readonly peer: PeerView }) {
  if (gaps === 0) return <>none</>;
  const more = gaps - lost.length - (missing === null ? 0 : 1);
  return (
    <>
      {missing !== null && (
        <div class="warning">
          ◷ {rangeText(missing)} did not come; asked for since <Ago at={missing.since} how="age" />
        </div>
      )}
      {lost.length > 0 && (
        <div>
          lost: {lost.map(rangeText).join(', ')}
          {more > 0 && ` and ${counted(more, 'earlier range')}`}
        </div>
      )}
    </>
  );
}

interface AgentsProps {
  readonly agents: readonly PeerAgentView[];
  readonly total: number;
  readonly node: string;
  readonly capabilities: readonly CapabilityFacts[];
}

function Agents({ agents, total, node, capabilities }: AgentsProps) {
  if (agents.length === 0) return <p class="empty">It offers no agents.</p>;
  return (
    <div class="scrolls">
      <table class="node-agents">
        <thead>
          <tr>
            <th>Agent</th>
            <th>Role</th>
            <th>Model</th>
            <th class="right">Load</th>
            <th>Owner</th>
            <th>Can do for others</th>
          </tr>
        </thead>
        <tbody>
          {agents.map((agent) => (
            <tr key={agent.name}>
              <td>
                <strong>{agent.name}</strong>
              </td>
              <td>{agent.role}</td>
              <td>{[agent.model, agent.provider].filter((word) => word !== '').join(', ')}</td>
              <td class="right">
                {agent.load} of {agent.slots}
              </td>
              <td>
                <Verdict kind={agent.isOwner ? 'checked' : 'unchecked'} word={agent.isOwner ? 'owner' : 'stands by'} />
              </td>
              <td>{canDo(agent.name, node, capabilities)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > agents.length && <p class="muted">and {counted(total - agents.length, 'more agent')}</p>}
    </div>
  );
}

function canDo(agent: string, node: string, capabilities: readonly CapabilityFacts[]): string {
  const own = capabilities.filter((each) => each.agent === agent && each.node === node);
  return own.map(({ id }) => id).join(', ');
}
