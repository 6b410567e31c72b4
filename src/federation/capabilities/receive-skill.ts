import { mkdirSync } from 'node:fs';
import type { SkillRef } from '../../domain/federation/capability.ts';
import { SKILL_ETA_SECONDS } from '../../domain/federation/federation-limits.ts';
import { judgeSkill } from '../../domain/federation/judge-skill.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { type InboxRow, recipientsOf, selectQueued } from '../../ledger/statements/federation/inbox.ts';
import { selectInstalledSkill, upsertInstalledSkill } from '../../ledger/statements/federation/skills.ts';
import type { Tx } from '../../ledger/tx.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TaskCreateEnvelope } from '../../protocols/runtime/schema/events.ts';
import { endInbox } from '../acknowledge.ts';
import { isBlobOf } from '../blob-hash.ts';
import { isoInstant } from '../envelope.ts';
import type { DeliveredEvent, Injection } from '../inbox.ts';
import { appendEvent, type Sender } from '../outbox.ts';
import type { Transport } from '../transport.ts';
import { SKILL_DISTRIBUTION, skillRefText } from './distribute-skill.ts';
import { packSkill, unpackSkill, writeSkill } from './pack-skill.ts';
import { readSkillFiles, type SkillFile, versionInText } from './skills.ts';

const QUEUED_MAX = 20;

interface SkillReceiver {
  readonly ledger: Pick<Ledger, 'read' | 'submit'>;
  readonly transport: Pick<Transport, 'getBlob'>;
  readonly clock: Clock;
  /** The folder that skills of other nodes are installed in. */
  readonly skillsFolder: string;
  skills(): readonly Required<SkillRef>[];
}

export function isSkillDistribution({ payload }: TaskCreateEnvelope): boolean {
  return payload.taskType === SKILL_DISTRIBUTION && payload.delegationSkillRef !== undefined;
}

/** Accepts a distribution for the agents here, before anything is installed (Runtime §4); the installation is queued. */
export function acceptSkill(tx: Tx, { envelope, agents, sender }: DeliveredEvent): Injection {
  const { payload, corrId } = envelope as TaskCreateEnvelope;
  const { name, version } = skillOf(payload);
  for (const agent of agents) {
    appendEvent(tx, sender, {
      kind: 'task_accept',
      fromAgent: agent,
      to: [requesterOf(envelope)],
      corrId,
      payload: {
        taskId: payload.taskId,
        acceptedByAgentId: agent,
        etaSeconds: SKILL_ETA_SECONDS,
        planSummary: `installs the skill ${name} ${version}`,
      },
    });
  }
  return { isQueued: true };
}

function requesterOf({ sourceAgentId, sourceNodeId }: DeliveredEvent['envelope']) {
  return { agent: sourceAgentId, node: sourceNodeId, fence: null };
}

function skillOf({ delegationSkillRef }: TaskCreateEnvelope['payload']) {
  return { name: delegationSkillRef?.name ?? '', version: delegationSkillRef?.version ?? '' };
}

/** The end of an installation. */
type Outcome =
  | { readonly kind: 'installed'; readonly blob: string | null }
  | { readonly kind: 'failed'; readonly failureClass: string; readonly reason: string };

/** Installs the skills that other nodes have sent, and confirms each with its name and version. No model is started. */
export async function installQueuedSkills(parts: SkillReceiver, sender: Sender): Promise<void> {
  for (const row of selectQueued(parts.ledger.read, 'task_create', QUEUED_MAX)) {
    if (!isSkillDistribution(JSON.parse(row.envelope) as TaskCreateEnvelope)) continue;
    const outcome = await installSkill(parts, row);
    if (outcome !== null) await parts.ledger.submit(answerDistribution, { row, outcome, sender });
  }
}

/** Null while the store does not have the skill and there is time left. */
async function installSkill(parts: SkillReceiver, { envelope: text, source }: InboxRow): Promise<Outcome | null> {
  const { payload } = JSON.parse(text) as TaskCreateEnvelope & { readonly payload: { readonly x_blob?: unknown } };
  const { name, version } = skillOf(payload);
  const present = parts.skills().find((skill) => skill.name === name);
  const { x_blob: blob } = payload;
  if (typeof blob !== 'string') {
    if (present?.version === version) return { kind: 'installed', blob: null };
    return failed('dependency_missing', `${source} sent no files of the skill, and it is not here`);
  }
  const bytes = await parts.transport.getBlob(blob);
  if (bytes === null || !isBlobOf(blob, bytes)) {
    const isLate = Date.parse(payload.requiredBy ?? '') <= parts.clock.now().wallMs;
    return isLate ? failed('dependency_unavailable', 'the store does not have the files of the skill') : null;
  }
  const files = unpackSkill(bytes);
  if (typeof files === 'string') return failed('contract_violation', files);
  return place(parts, { name, version, hash: blob, files }, present?.path);
}

interface OfferedFiles {
  readonly name: string;
  readonly version: string;
  readonly hash: string;
  readonly files: readonly SkillFile[];
}

function place(parts: SkillReceiver, offered: OfferedFiles, presentPath: string | undefined): Outcome {
  const { name, version, hash, files } = offered;
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(name)) return failed('contract_violation', 'a skill has a plain name');
  const text = files.find(({ path }) => path === 'SKILL.md')?.bytes.toString('utf8') ?? '';
  if (versionInText(text, name) !== version)
    return failed('contract_violation', `its SKILL.md does not say that it is ${name} ${version}`);
  const installed = selectInstalledSkill(parts.ledger.read, name);
  const verdict = judgeSkill({ name, version, hash }, presentSkill(parts, name, presentPath), installed?.blob ?? null);
  if (verdict.kind === 'refuse') return failed('version_incompatible', verdict.reason);
  if (verdict.kind === 'install') {
    mkdirSync(parts.skillsFolder, { recursive: true, mode: 0o700 });
    writeSkill(parts.skillsFolder, name, files);
  }
  return { kind: 'installed', blob: hash };
}

function presentSkill({ skills }: SkillReceiver, name: string, path: string | undefined) {
  const found = skills().find((skill) => skill.name === name);
  const files = path === undefined ? '' : readSkillFiles(path);
  if (!found || typeof files === 'string') return null;
  return { version: found.version, hash: packSkill(files).hash };
}

function failed(failureClass: string, reason: string): Outcome {
  return { kind: 'failed', failureClass, reason };
}

interface AnsweredDistribution {
  readonly row: InboxRow;
  readonly outcome: Outcome;
  readonly sender: Sender;
}

/** Answers for each agent here, and ends the queued event in the same transaction. */
const answerDistribution: Command<AnsweredDistribution, { readonly isAnswered: true }> = (
  tx,
  { row, outcome, sender },
) => {
  const envelope = JSON.parse(row.envelope) as TaskCreateEnvelope;
  const skill = skillOf(envelope.payload);
  for (const agent of recipientsOf(tx, row.eventId)) {
    const { kind, payload } = answerOf(envelope, { agent, outcome, at: isoInstant(tx.moment.now.wallMs) });
    const to = [requesterOf(envelope)];
    appendEvent(tx, sender, { kind, fromAgent: agent, to, corrId: envelope.corrId, payload });
  }
  if (outcome.kind === 'installed' && outcome.blob !== null) {
    const { name, version } = skill;
    upsertInstalledSkill(tx, { skill: name, version, blob: outcome.blob, source: row.source });
    const payload = { skill: name, version, node: row.source };
    insertEvent(tx, { type: 'skill.installed', actor: row.source, taskId: null, payload });
  }
  endInbox(tx, sender, { eventId: row.eventId, type: 'processed' });
  return { isAnswered: true };
};

function answerOf(
  { payload }: TaskCreateEnvelope,
  { agent, outcome, at }: { readonly agent: string; readonly outcome: Outcome; readonly at: string },
): { readonly kind: 'task_complete' | 'task_failed'; readonly payload: object } {
  const { taskId } = payload;
  const { name, version } = skillOf(payload);
  if (outcome.kind === 'installed') {
    const resultSummary = `the skill ${name} ${version} is installed`;
    const resultRef = skillRefText({ name, version });
    return {
      kind: 'task_complete',
      payload: { taskId, completedByAgentId: agent, resultSummary, resultRef, completedAt: at },
    };
  }
  const { failureClass, reason: errorSummary } = outcome;
  return { kind: 'task_failed', payload: { taskId, failedByAgentId: agent, failureClass, errorSummary, failedAt: at } };
}
