import { splitAddress } from '../../domain/federation/choose-recipients.ts';
import { TASK_ETA_SECONDS_DEFAULT } from '../../domain/federation/federation-limits.ts';
import { failureClassOf } from '../../domain/order/failure-class.ts';
import { failureCodeOf, isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { chooseReceivingAgent, type OfferedAgent } from '../../domain/remote/admit-received.ts';
import { type CatalogEntry, findCapability } from '../../federation/capabilities/catalog.ts';
import { isForAll } from '../../federation/envelope.ts';
import { KEYS, readRecord } from '../../federation/records.ts';
import { isKey, type Transport } from '../../federation/transport.ts';
import { type InboxRow, recipientsOf } from '../../ledger/statements/federation/inbox.ts';
import {
  countOpenReceived,
  type ReceivedTask,
  selectReceivedBy,
} from '../../ledger/statements/federation/received-tasks.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import type { TaskCreateEnvelope } from '../../protocols/runtime/schema/events.ts';
import { readGrant } from '../../protocols/runtime/schema/extensions.ts';
import { acceptTask, dropRepeated, refuseReceivedTask } from './answer-task.ts';
import type { ReceivedWork, TaskToAdmit } from './received-work.ts';
import type { ServingNode, TaskServing } from './serving-node.ts';

/** A task that was sent here, with everything that its admission depends on. */
interface AskedTask {
  readonly row: InboxRow;
  readonly envelope: TaskCreateEnvelope;
  readonly agent: string;
  readonly recipient: string;
  readonly fence: number | null;
  readonly capabilities: readonly NeededCapability[];
}

/** A capability that a task asks for, with the JSON Schema of its results. */
export interface NeededCapability extends CatalogEntry {
  readonly contract: string | null;
}

/** Accepts a task that waits in the inbox, or refuses it with its reason. It keeps waiting while this node has no room. */
export async function admitQueued(federation: ServingNode, serving: TaskServing, row: InboxRow): Promise<void> {
  const { ledger, roomMax } = federation.parts;
  if (roomMax > 0 && countOpenReceived(ledger.read) >= roomMax) return;
  const envelope = JSON.parse(row.envelope) as TaskCreateEnvelope;
  const known = selectReceivedBy(ledger.read, row.source, envelope.corrId);
  if (known !== null && known.state !== 'ended') {
    await ledger.submit(dropRepeated, { eventId: row.eventId });
    return;
  }
  const asked = await askedTask(federation, serving.work, { row, envelope });
  const refusal = isRefusal(asked) ? asked : await accept(federation, serving, asked);
  if (refusal === null) return;
  const [first = federation.parts.nodeId] = recipientsOf(ledger.read, row.eventId);
  const agent = isRefusal(asked) ? splitAddress(first)[0] : asked.agent;
  const failureClass = failureClassOf({ verdict: 'failed', code: failureCodeOf(refusal.code) });
  await ledger.submit(refuseReceivedTask, {
    sender: federation.sender,
    row,
    agent,
    failureClass,
    message: refusal.message,
  });
}

async function askedTask(
  federation: ServingNode,
  work: ReceivedWork,
  { row, envelope }: Pick<AskedTask, 'row' | 'envelope'>,
): Promise<AskedTask | Refusal> {
  const { parts, presence } = federation;
  const { nodeId, ledger, roomMax, transport, agents } = parts;
  if (roomMax === 0) return refuse('permission-denied', `${nodeId} takes no tasks of other nodes`);
  const recipients = recipientsOf(ledger.read, row.eventId);
  const needs = envelope.payload.requiredCapabilities ?? [];
  const capabilities = await neededCapabilities(transport, needs);
  if (isRefusal(capabilities)) return capabilities;
  const able = needs.length === 0 ? null : ableAgents(capabilities);
  const named = namedAgent(work, envelope, { offered: agents(), isForNode: recipients.includes(nodeId) });
  if (isRefusal(named)) return named;
  const agent = chooseReceivingAgent({ nodeId, recipients, defaultAgent: work.defaultAgent, able, ...named });
  if (isRefusal(agent)) return agent;
  const recipient = recipients.find((name) => splitAddress(name)[0] === agent) ?? nodeId;
  // The bare name of an agent may belong to another node by now.
  const isMovable = recipient === agent && recipient !== nodeId;
  const fence = isMovable ? presence.fenceOf(agent) : null;
  if (isMovable && fence === null) return refuse('invalid_targets', `${agent} is on another node now`);
  return { row, envelope, agent, recipient, fence, capabilities };
}

/** A TASK for the node itself, rather than for one of its agents, names its agent as its target. */
function namedAgent(
  work: ReceivedWork,
  { payload }: TaskCreateEnvelope,
  { offered, isForNode }: { readonly offered: readonly OfferedAgent[]; readonly isForNode: boolean },
): { readonly offered: readonly OfferedAgent[] } | Refusal {
  const aop = aopOf(payload);
  if (aop === null || !isForNode) return { offered };
  const name = work.agentOf(
    aop,
    offered.map((agent) => agent.name),
  );
  return isRefusal(name) ? name : { offered: offered.filter((agent) => agent.name === name) };
}

function aopOf(payload: object): unknown {
  return (payload as { readonly x_aop?: unknown }).x_aop ?? null;
}

/** The capabilities that a task asks for, as they are published now. */
export async function neededCapabilities(
  transport: Transport,
  needs: readonly string[],
): Promise<readonly NeededCapability[] | Refusal> {
  const found: NeededCapability[] = [];
  for (const id of needs) {
    const entry = isKey(KEYS.catalog(id)) ? await findCapability(transport, id) : null;
    if (entry === null || entry.catalog.status === 'disabled') {
      return refuse('capability_unavailable', `${id} is not published`);
    }
    const { schema } = readRecord((await transport.get(KEYS.contract(id)))?.value ?? '');
    found.push({ ...entry, contract: schema === undefined ? null : JSON.stringify(schema, null, 2) });
  }
  return found;
}

function ableAgents(capabilities: readonly CatalogEntry[]): readonly string[] {
  const [first, ...others] = capabilities.map(({ eligibleAgentIds }) => eligibleAgentIds);
  return (first ?? []).filter((agent) => others.every((agents) => agents.includes(agent)));
}

/** Null if it was accepted, or waits. */
async function accept(federation: ServingNode, { work, asks }: TaskServing, asked: AskedTask): Promise<Refusal | null> {
  const { ledger, clock } = federation.parts;
  const { row, envelope, capabilities } = asked;
  const task = taskToAdmit(work, asked);
  if (isRefusal(task)) return task;
  const admitted = await work.admit(task);
  const { source: node } = row;
  const { corrId } = envelope;
  if (isRefusal(admitted)) {
    if (admitted.code !== 'parcel_incomplete') return admitted;
    // The store has lost a part of its files; its sender puts them there again.
    const content = { node, corrId, uid: envelope.payload.taskId, holds: 'work' } as const;
    await asks.ask({ ledger, sender: federation.sender }, content, clock.now().wallMs);
    return null;
  }
  asks.forget(corrId);
  const etas = capabilities.map(({ catalog }) => catalog.defaultEtaSeconds);
  const usualSeconds = etas.length === 0 ? TASK_ETA_SECONDS_DEFAULT : Math.max(...etas);
  const { wallMs } = clock.now();
  // By the clock here: that of the sender may differ. The sender itself keeps to its deadline.
  const askedAt = envelope.payload.deadlineAt;
  const deadlineAt = askedAt === undefined ? null : row.at + Date.parse(askedAt) - Date.parse(envelope.createdAt);
  const etaSeconds = etaBefore(deadlineAt, { wallMs, usualSeconds });
  const received: ReceivedTask = {
    eventId: row.eventId,
    source: row.source,
    corrId: envelope.corrId,
    uid: envelope.payload.taskId,
    requester: envelope.payload.requesterAgentId ?? envelope.sourceAgentId,
    agent: asked.agent,
    recipient: asked.recipient,
    fence: asked.fence,
    taskId: null,
    capabilities: envelope.payload.requiredCapabilities ?? [],
    acceptId: null,
    etaAt: wallMs + etaSeconds * 1_000,
    deadlineAt,
    state: isForSeveral(envelope) ? 'offered' : 'accepted',
    toldStatus: null,
    toldProgress: null,
    toldSeq: 0,
    toldAt: wallMs,
    receivedAt: row.at,
  };
  crashPoint('federation.accept');
  const answer = await ledger.submit(acceptTask, { sender: federation.sender, row, received, etaSeconds, admitted });
  crashPoint('federation.accepted');
  if (isRefusal(answer)) return answer.code === 'storage_full' ? null : answer;
  work.wake();
  return null;
}

/** An estimate is never after the deadline. */
function etaBefore(
  deadlineAt: number | null,
  { wallMs, usualSeconds }: { readonly wallMs: number; readonly usualSeconds: number },
): number {
  if (deadlineAt === null) return usualSeconds;
  return Math.max(0, Math.min(usualSeconds, Math.floor((deadlineAt - wallMs) / 1_000)));
}

/** The first of several to accept does it (runtime:recipients). */
function isForSeveral(envelope: TaskCreateEnvelope): boolean {
  const { toAgentId, payload } = envelope;
  return isForAll(envelope) || (toAgentId === undefined && (payload.toAgents?.length ?? 0) > 1);
}

/** The words of a task, with the skills of this node for what it asks for. */
export function taskToAdmit(
  work: ReceivedWork,
  { row, envelope, agent, capabilities }: Pick<AskedTask, 'row' | 'envelope' | 'agent' | 'capabilities'>,
): TaskToAdmit | Refusal {
  const { payload } = envelope;
  const { title, description = '', priority = 'normal', requesterAgentId = envelope.sourceAgentId } = payload;
  const skills: string[] = [];
  for (const { catalog, contract } of capabilities) {
    const { name, version } = catalog.executorSkillRef;
    const text = work.skillText(name, version);
    if (text === null) return refuse('capability_unavailable', `the skill ${name} ${version} is not here`);
    skills.push(`How ${catalog.name} is done here (skill ${name} ${version}):\n\n${text}`);
    if (contract !== null)
      skills.push(`Write the result as JSON into result.json. It has to fit this JSON Schema:\n\n${contract}`);
  }
  const grant = readGrant(payload);
  const { x_work: parcel = null } = payload as { readonly x_work?: unknown };
  const asked =
    description.trim() === '' ? title : description.startsWith(title) ? description : `${title}\n\n${description}`;
  return {
    source: row.source,
    requester: requesterAgentId,
    eventId: row.eventId,
    agent,
    title,
    words: [asked, ...skills].join('\n\n'),
    aop: aopOf(payload),
    skills: skills.join('\n\n'),
    priority,
    grant,
    depth: grant?.depth ?? 0,
    parcel,
  };
}
