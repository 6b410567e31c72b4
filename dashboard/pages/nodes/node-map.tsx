import type { LinkView, NodeStatusAnswer, PeerView } from '../../../src/api/federation/federation-contract.ts';
import { counted, shortened } from '../../parts/format.ts';
import { param, setParams, withParams } from '../../parts/route.ts';
import { Row } from '../../parts/rows.tsx';
import { Ago } from '../../parts/time.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import { gapText, isAskedAbout, lagText, PEERS_ON_MAP_MAX, type PeerState, placePeers, stateOf } from './peer-state.ts';

/** The height of one node with the space below it, as the style sheet has it. */
const ROW = 60;
const NAME_CHARACTERS_MAX = 28;
const FILTER_FROM = 9;

interface MapProps {
  readonly status: NodeStatusAnswer;
  readonly links: readonly LinkView[];
}

/** This node in the middle, the others around it, and the lines between them. Each is a link that opens it below. */
export function NodeMap({ status, links }: MapProps) {
  const words = param('q');
  const { left, right, found } = placePeers(status.peers, words);
  const shown = left.length + right.length;
  const rows = Math.max(left.length, right.length, 1);
  const side = (peers: readonly PeerView[]) => <Side peers={peers} status={status} links={links} />;
  return (
    <section aria-labelledby="map" class="map-section">
      <header class="section">
        <h2 id="map">
          Map <span class="count">{counted(status.peersTotal + 1, 'node')}</span>
        </h2>
        {status.peersTotal >= FILTER_FROM && <Filter words={words} />}
        {found > shown && (
          <span class="muted">
            {shown} of {found.toLocaleString('en')}, those that need a look first
          </span>
        )}
      </header>
      <div class={`node-map ${left.length === 0 ? 'one-side' : ''}`}>
        {left.length > 0 && side(left)}
        {left.length > 0 && <Lines peers={left} rows={rows} isLeft status={status} />}
        <Hub status={status} />
        {right.length > 0 && <Lines peers={right} rows={rows} status={status} />}
        {right.length > 0 ? side(right) : <Nobody status={status} words={words} />}
      </div>
    </section>
  );
}

function Filter({ words }: { readonly words: string }) {
  return (
    <input
      class="narrow"
      type="search"
      aria-label="Narrow the map"
      placeholder={`name, agent or state`}
      value={words}
      onInput={({ currentTarget }) => setParams({ q: currentTarget.value }, { replace: true })}
    />
  );
}

function Nobody({ status: { connected, peersTotal }, words }: { status: NodeStatusAnswer; words: string }) {
  if (peersTotal > 0) return <p class="empty">No node fits “{shortened(words, PEERS_ON_MAP_MAX)}”.</p>;
  if (!connected) return <p class="empty">Other nodes are shown once there is a connection.</p>;
  return (
    <div class="nobody">
      <p>No other node has joined yet. On the other machine, with the same server or folder:</p>
      <code>baton node join … --node NAME</code>
    </div>
  );
}

function Hub({ status }: { readonly status: NodeStatusAnswer }) {
  const { nodeId, connected, problem, agents, seq } = status;
  const word = connected ? 'connected' : problem === null ? 'connecting' : 'not connected';
  const kind = connected ? 'checked' : problem === null ? 'waiting' : 'failed';
  return (
    <a class="node hub" href={hrefOf(nodeId)} aria-current={isOpen(nodeId) ? 'true' : undefined}>
      <span class="node-name">
        <strong title={nodeId}>{shortened(nodeId, NAME_CHARACTERS_MAX)}</strong> <span class="muted">this node</span>
      </span>
      <Verdict kind={kind} word={word} />
      <span class="muted">
        {counted(agents.length, 'agent')}, {counted(seq, 'event')} sent
      </span>
    </a>
  );
}

function Side({ peers, status, links }: MapProps & { readonly peers: readonly PeerView[] }) {
  return (
    <ul class="map-side">
      {peers.map((peer) => (
        <Row key={peer.nodeId} id={`node-${peer.nodeId}`} href={hrefOf(peer.nodeId)} class="peer">
          <PeerCard peer={peer} state={stateOf(peer, isAskedAbout(status, peer.nodeId))} links={links} />
        </Row>
      ))}
    </ul>
  );
}

interface CardProps {
  readonly peer: PeerView;
  readonly state: PeerState;
  readonly links: readonly LinkView[];
}

function PeerCard({ peer, state, links }: CardProps) {
  const { nodeId, seenAt, agentsTotal } = peer;
  const gap = gapText(peer);
  return (
    <a class={`node to-${state.line}`} href={hrefOf(nodeId)} aria-current={isOpen(nodeId) ? 'true' : undefined}>
      <span class="node-name">
        <strong title={nodeId}>{shortened(nodeId, NAME_CHARACTERS_MAX)}</strong>
        <Verdict kind={state.kind} word={state.word} />
      </span>
      <span class="muted facts">
        {seenAt !== null && (
          <span>
            heard <Ago at={seenAt} />
          </span>
        )}
        <span>{lagText(peer, links)}</span>
        {gap !== '' && <span class="warning">{gap}</span>}
        <span>{counted(agentsTotal, 'agent')}</span>
      </span>
    </a>
  );
}

interface LinesProps {
  readonly peers: readonly PeerView[];
  readonly rows: number;
  readonly status: NodeStatusAnswer;
  readonly isLeft?: boolean;
}

/** A line from each node to this one; dashed where nothing comes over it. The words stand in the nodes. */
function Lines({ peers, rows, status, isLeft = false }: LinesProps) {
  const height = rows * ROW;
  const middle = height / 2;
  const top = (height - peers.length * ROW) / 2;
  return (
    <svg class="map-lines" viewBox={`0 0 100 ${height}`} height={height} preserveAspectRatio="none" aria-hidden="true">
      {peers.map((peer, at) => {
        const y = top + at * ROW + ROW / 2;
        const [from, to] = isLeft ? [0, 100] : [100, 0];
        const { line } = stateOf(peer, isAskedAbout(status, peer.nodeId));
        return (
          <path key={peer.nodeId} class={`to-${line}`} d={`M${from} ${y} C50 ${y} 50 ${middle} ${to} ${middle}`} />
        );
      })}
    </svg>
  );
}

function isOpen(nodeId: string): boolean {
  return param('node') === nodeId;
}

/** Opens a node, or closes it where it is open. */
function hrefOf(nodeId: string): string {
  return withParams({ node: isOpen(nodeId) ? '' : nodeId });
}
