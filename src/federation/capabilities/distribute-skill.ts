import type { Capability, SkillRef } from '../../domain/federation/capability.ts';
import { SKILL_REQUIRED_MS } from '../../domain/federation/federation-limits.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import {
  replaceSkillTargets,
  type SkillTarget,
  selectAwaitedSkills,
  selectTargetsOfTask,
  updateSkillTarget,
} from '../../ledger/statements/federation/skills.ts';
import type { Reader, Tx } from '../../ledger/tx.ts';
import type { RuntimeEnvelope } from '../../protocols/runtime/schema/events.ts';
import { isoInstant } from '../envelope.ts';
import type { Injection } from '../inbox.ts';
import type { Directory } from '../nodes/directory.ts';
import { appendEvent, type Recipient, type Sender } from '../outbox.ts';
import type { Transport } from '../transport.ts';
import { type PackedSkill, packSkill } from './pack-skill.ts';
import { readSkillFiles } from './skills.ts';

interface SkillStore {
  readonly ledger: { readonly read: Reader };
  readonly transport: Pick<Transport, 'hasBlob' | 'putBlob'>;
  skills(): readonly Required<SkillRef>[];
}

interface Targets {
  readonly parts: SkillStore;
  readonly directory: Pick<Directory, 'activeAgents' | 'meet'>;
}

export const SKILL_DISTRIBUTION = 'skill_distribution';

/** A skill to be installed by every active agent but the owner of its capability (Runtime §7). */
export interface Distribution {
  readonly to: readonly Recipient[];
  /** Null if this node does not have the skill: only those who have it can confirm. */
  readonly blob: string | null;
}

/** Gives the skill to the store and finds its targets; null if there is nobody else. */
export async function prepareDistribution(
  { parts, directory }: Targets,
  { ownerAgentId, delegationSkillRef }: Capability,
): Promise<Distribution | null> {
  const to = (await directory.activeAgents()).filter(({ agent }) => agent !== ownerAgentId);
  if (to.length === 0) return null;
  // The keys of a target are needed to seal its frames.
  for (const node of new Set(to.map((target) => target.node))) await directory.meet(node);
  const packed = packedSkill(parts, delegationSkillRef);
  if (packed) await parts.transport.putBlob(packed.hash, packed.bytes);
  return { to, blob: packed?.hash ?? null };
}

function packedSkill(
  { skills }: Pick<SkillStore, 'skills'>,
  { name, version }: { readonly name: string; readonly version: string },
): PackedSkill | null {
  const skill = skills().find((found) => found.name === name && found.version === version);
  const files = skill ? readSkillFiles(skill.path) : 'it is not here';
  return typeof files === 'string' ? null : packSkill(files);
}

/** Records the task_create in the transaction that records the capability. */
export function appendDistribution(
  tx: Tx,
  sender: Sender,
  { catalog, distribution }: { readonly catalog: Capability; readonly distribution: Distribution },
): void {
  const { capabilityId, publishedByAgentId, delegationSkillRef } = catalog;
  const { name, version } = delegationSkillRef;
  const { to, blob } = distribution;
  const taskId = `tsk_${tx.moment.ids.ulid()}`;
  const requiredBy = tx.moment.now.wallMs + SKILL_REQUIRED_MS;
  const payload = {
    taskId,
    title: `Install the skill ${name} ${version}`,
    toAgents: to.map(({ agent }) => agent),
    requesterAgentId: publishedByAgentId,
    responseRequired: true,
    taskType: SKILL_DISTRIBUTION,
    capabilityId,
    delegationSkillRef: { name, version },
    requiredBy: isoInstant(requiredBy),
    ...(blob !== null && { x_blob: blob }),
  };
  appendEvent(tx, sender, { kind: 'task_create', fromAgent: publishedByAgentId, to, payload, expiresAt: requiredBy });
  const facts = { capabilityId, taskId, skill: name, version, blob, requiredBy };
  const targets = to.map(({ agent, node }) => ({ ...facts, agent, node, state: 'waiting' as const, reason: null }));
  replaceSkillTargets(tx, capabilityId, targets);
}

/** The name of an installed skill in the answer of a target. */
export function skillRefText({ name, version }: { readonly name: string; readonly version: string }): string {
  return `skill://${name}/${version}`;
}

/** Applies the answer of a target; null if the event answers no distribution of this node. */
export function takeSkillAnswer(tx: Tx, envelope: RuntimeEnvelope): Injection | null {
  const { taskId } = envelope.payload as { readonly taskId?: string };
  const targets = taskId === undefined ? [] : selectTargetsOfTask(tx, taskId);
  if (targets.length === 0) return null;
  const { sourceAgentId, sourceNodeId } = envelope;
  const target = targets.find(({ agent, node }) => agent === sourceAgentId && node === sourceNodeId);
  if (!target) return { isQueued: false, isRefused: true };
  const answer = answerOf(envelope, target);
  if (answer === null || target.state === 'confirmed') return { isQueued: false };
  updateSkillTarget(tx, target, answer);
  if (answer.state !== 'accepted') noteAnswer(tx, target, answer);
  const isOver = targets.every((each) => each === target || each.state === 'confirmed');
  if (answer.state === 'confirmed' && isOver) noteDistributed(tx, target, targets.length);
  return { isQueued: false };
}

type Answer = Pick<SkillTarget, 'state' | 'reason'>;

/** Null for an event that changes nothing, such as an update. */
function answerOf(envelope: RuntimeEnvelope, { skill: name, version, state }: SkillTarget): Answer | null {
  switch (envelope.kind) {
    case 'task_accept':
      return state === 'waiting' ? { state: 'accepted', reason: null } : null;
    case 'task_failed': {
      const { failureClass, errorSummary } = envelope.payload;
      return { state: 'refused', reason: errorSummary ? `${failureClass}: ${errorSummary}` : failureClass };
    }
    case 'task_complete': {
      const { resultRef } = envelope.payload;
      if (resultRef === skillRefText({ name, version })) return { state: 'confirmed', reason: null };
      return { state: 'refused', reason: `it confirmed ${resultRef ?? 'nothing'} instead` };
    }
    default:
      return null;
  }
}

function noteAnswer(
  tx: Tx,
  { agent, node, capabilityId, skill, version }: SkillTarget,
  { state, reason }: Answer,
): void {
  const payload = { capabilityId, skill, version, node, reason: reason ?? '' };
  const type = state === 'confirmed' ? 'skill.confirmed' : 'skill.refused';
  insertEvent(tx, { type, actor: agent, taskId: null, payload });
}

function noteDistributed(tx: Tx, { capabilityId, skill, version }: SkillTarget, agents: number): void {
  const payload = { capabilityId, skill, version, agents };
  insertEvent(tx, { type: 'skill.distributed', actor: 'baton', taskId: null, payload });
}

/** Puts a packed skill that is still awaited back where the store has lost it. */
export async function restoreSkills({ ledger, transport, skills }: SkillStore): Promise<void> {
  for (const { skill: name, version, blob } of selectAwaitedSkills(ledger.read)) {
    if (blob === null || (await transport.hasBlob(blob))) continue;
    const packed = packedSkill({ skills }, { name, version });
    if (packed?.hash === blob) await transport.putBlob(blob, packed.bytes);
  }
}
