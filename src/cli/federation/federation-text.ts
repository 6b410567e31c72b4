import type {
  DeliveryView,
  DismissAnswer,
  JoinAnswer,
  LeaveAnswer,
  LinkView,
  NodeIncidentView,
  NodeStatusAnswer,
  PeerView,
  SentMessageView,
  TrustAnswer,
} from '../../api/federation/federation-contract.ts';
import { counted } from '../../domain/words/counted.ts';
import type { NatsServerConfig } from '../../node/federation/nats-server-config.ts';
import { shellWord } from '../call-parts.ts';
import type { Style } from '../output/style.ts';
import { durationText, timeText } from '../output/time-text.ts';
import { visible } from '../output/visible.ts';

/** This node, then one line for each other node, then what is wrong. */
export function nodeStatusText(status: NodeStatusAnswer, style: Style): string {
  const { nodeId, transport, connected, problem, peers, peersTotal, incidents, keyId } = status;
  const why = problem === null ? '' : ` (${visible(problem)})`;
  const state = connected ? style.good('connected') : style.bad(`not connected${why}; this is what was seen last`);
  const head = `${style.strong(nodeId)}  ${transport}, ${state}, key ${keyId}`;
  const owned = status.owned.length === 0 ? [] : [`agents: ${status.owned.map(visible).join(', ')}`];
  const lines = peers.length === 0 ? [style.faint('no other node has joined')] : peerLines(peers, style);
  const more = peersTotal > peers.length ? [style.faint(`and ${peersTotal - peers.length} more`)] : [];
  const wrong = incidents.flatMap((incident) => incidentLines(incident, style));
  return [head, ...owned, '', ...lines, ...more, ...(wrong.length > 0 ? ['', ...wrong] : [])].join('\n');
}

/** An open incident, and the command that ends it where there is one. */
function incidentLines({ id, detail, openedAt, actions }: NodeIncidentView, style: Style): readonly string[] {
  const told = style.open(`▲ since ${timeText(openedAt, style.nowMs)}  ${visible(detail)}`);
  return actions.includes('dismiss') ? [told, style.faint(`  seen it? baton node dismiss ${id}`)] : [told];
}

function peerLines(peers: readonly PeerView[], style: Style): string[] {
  const width = (about: (peer: PeerView) => string) => Math.max(...peers.map((peer) => about(peer).length));
  const nameWidth = width(({ nodeId }) => visible(nodeId));
  const readWidth = width(readText);
  const lifeWidth = width((peer) => lifeText(peer, style.nowMs));
  return peers.map((peer) => {
    const name = style.strong(visible(peer.nodeId).padEnd(nameWidth));
    const words = lifeText(peer, style.nowMs).padEnd(lifeWidth);
    const life = peer.life === 'alive' ? style.good(words) : peer.alive ? style.open(words) : style.bad(words);
    const trust = standingText(peer, style);
    const gaps = peer.gaps === 0 ? '' : style.open(`  ${peer.gaps} missing`);
    const agents = peer.agents.map((agent) => visible(agent.name)).join(', ') || 'no agents';
    return `${name}  ${life}  ${readText(peer).padEnd(readWidth)}  ${agents}${trust}${gaps}`;
  });
}

/** alive, silent for 65 s, dead, last seen 12:04. */
function lifeText({ life, seenAt }: PeerView, nowMs: number): string {
  if (life === 'alive') return 'alive';
  if (life === 'silent' && seenAt !== null) return `silent for ${durationText(nowMs - Date.parse(seenAt))}`;
  const seen = seenAt === null ? 'not seen' : `last seen ${timeText(seenAt, nowMs)}`;
  return life === 'unseen' ? seen : `${life}, ${seen}`;
}

function standingText({ trust, standing }: PeerView, style: Style): string {
  if (standing === 'removed') return `  ${style.bad('removed')}`;
  if (standing === 'other-key') return `  ${style.open('shows another key')}`;
  if (standing === 'asks') return `  ${style.open('not trusted')}`;
  return trust === 'trusted' ? '  trusted' : '';
}

function readText({ seq, cursor, lag }: PeerView): string {
  if (cursor === 0 && lag === 0) return 'nothing for this node yet';
  return lag === 0 ? `read to ${cursor}` : `read to ${cursor} of ${seq}`;
}

/** One line for each node: how many of its events are not read yet. */
export function lagText({ peers }: NodeStatusAnswer, style: Style): string {
  if (peers.length === 0) return style.faint('no other node has joined');
  const width = Math.max(...peers.map(({ nodeId }) => nodeId.length));
  return peers.map(({ nodeId, lag }) => `${visible(nodeId).padEnd(width)}  ${lag}`).join('\n');
}

/** tower reads laptop: 3 behind, at 40 of 43. */
export function linkText({ source, reader, seq, cursor, lag }: LinkView): string {
  const place = lag === 0 ? 'everything' : `${lag} behind, at ${cursor} of ${seq}`;
  return `${visible(reader)} reads ${visible(source)}: ${place}`;
}

export function dismissText({ id, kind }: DismissAnswer): string {
  return `${visible(id)} (${visible(kind)}) is closed`;
}

export function joinText({ nodeId, transport, peers, file }: JoinAnswer): string {
  const others = peers === 0 ? 'the first node there' : `with ${counted(peers, 'other node')}`;
  return `joined as ${nodeId} over ${transport}, ${others}; remembered in ${file}`;
}

/** The files that were written, and the commands to use them with. */
export function serverConfigText({ config, credentials }: NatsServerConfig): string {
  const [first] = credentials;
  const width = Math.max(...credentials.map(({ node }) => node.length));
  return [
    `wrote ${visible(config)}`,
    ...credentials.map(({ node, file }) => `  ${visible(node).padEnd(width)}  ${visible(file)}`),
    `next: nats-server -c ${shellWord(config)}`,
    ...(first ? [`next: baton node join nats://HOST:4222 --node ${first.node} --creds ${shellWord(first.file)}`] : []),
  ].join('\n');
}

export function leaveText({ nodeId, file }: LeaveAnswer): string {
  return `${nodeId} has left; ${file} no longer names a federation`;
}

export function nodeTrustText({ nodeId, trust, keyId }: TrustAnswer): string {
  return trust === 'removed'
    ? `nothing of ${nodeId} is accepted any more`
    : `${nodeId} is trusted with the key ${keyId}`;
}

/** A message that was sent, and what became of it at each recipient. */
export function sentText({ envelope, receipts }: SentMessageView, style: Style): string {
  const { payload } = envelope as { readonly payload: { readonly subject?: string; readonly body: string } };
  const head = `${style.strong(String(envelope.eventId))}  ${visible(payload.subject ?? firstLine(payload.body))}`;
  return [head, ...receipts.map((receipt) => `  ${receiptText(receipt, style)}`)].join('\n');
}

function receiptText({ agentId, nodeId, acceptedAt, processedAt, failedAt }: DeliveryView, style: Style): string {
  const to = agentId === nodeId ? nodeId : `${agentId} on ${nodeId}`;
  const at = (instant: string) => timeText(instant, style.nowMs);
  if (failedAt !== null) return `${visible(to)}  ${style.bad(`refused ${at(failedAt)}`)}`;
  if (processedAt !== null) return `${visible(to)}  ${style.good(`answered ${at(processedAt)}`)}`;
  if (acceptedAt !== null) return `${visible(to)}  ${style.good(`accepted ${at(acceptedAt)}`)}`;
  return `${visible(to)}  ${style.open('not accepted yet: it is sent again until it is')}`;
}

/** A message or reply as a person reads it. */
export function mailText(envelope: Readonly<Record<string, unknown>>, style: Style): string {
  const { eventId, sourceAgentId, sourceNodeId, createdAt, payload } = envelope as {
    readonly eventId: string;
    readonly sourceAgentId: string;
    readonly sourceNodeId: string;
    readonly createdAt: string;
    readonly payload: { readonly subject?: string; readonly body: string; readonly refEventId?: string };
  };
  const from = sourceAgentId === sourceNodeId ? sourceNodeId : `${sourceAgentId} on ${sourceNodeId}`;
  const about = payload.refEventId === undefined ? '' : `, about ${payload.refEventId}`;
  const head = `${style.strong(visible(from))}  ${timeText(createdAt, style.nowMs)}  ${style.faint(`${eventId}${about}`)}`;
  const subject = payload.subject === undefined ? [] : [style.strong(visible(payload.subject))];
  const body = payload.body.split('\n').map((line) => `  ${visible(line)}`);
  return [head, ...subject.map((line) => `  ${line}`), ...body].join('\n');
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}
