import type { StatusAnswer } from '../../api/contract.ts';
import type { Calls } from '../../api/node-client.ts';
import type { AttentionList, AttentionView } from '../../api/review/review-contract.ts';
import { viewQuestion } from '../../api/task/views.ts';
import { ATTENTION_SHOWN_MAX } from '../../domain/limits.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { maskWritten } from '../../domain/secrets/mask-written.ts';
import type { AttentionItem } from '../../domain/task/attention.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import { type OpenIncident, rankAttention } from '../../domain/task/rank-attention.ts';
import { selectLastAgent } from '../../ledger/statements/runs.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import { findTask } from '../../operations/task/find-task.ts';
import { countAttention, readAttention, readQuestions } from '../../reviews/read-attention.ts';
import type { OverlapRadar } from '../../work/overlap-radar.ts';
import { openOverlap } from '../work/overlap-views.ts';

/** The instant since which the disk has no room; an incident cannot be recorded then. */
export interface DiskSight {
  fullSinceMs?(): number | null;
}

export function fullDisk({ fullSinceMs }: DiskSight): readonly OpenIncident[] {
  const openedAt = fullSinceMs?.() ?? null;
  const detail = 'the disk is full: changes are refused, and running orders wait until there is room';
  return openedAt === null ? [] : [{ id: '', kind: 'storage_full', taskId: null, detail, openedAt }];
}

/** The open questions with the titles of their tasks. */
export function questionsInStatus(read: Reader, limit: number): StatusAnswer['questions'] {
  return readQuestions(read, limit).map(({ question, title }) => ({
    ...viewQuestion(question),
    title: maskWritten(title),
  }));
}

/** The parts of the queue that the ledger does not hold. */
export interface AttentionSight extends DiskSight {
  /** Absent in a process that runs no agents. */
  readonly overlaps?: Pick<OverlapRadar, 'of' | 'pairs' | 'touching'>;
}

/** The whole queue. An incident of a full disk and the overlaps of live runs are in no ledger. */
export function attentionOf(read: Reader, sight: AttentionSight): AttentionList {
  const facts = readAttention(read, ATTENTION_SHOWN_MAX);
  const incidents = [...fullDisk(sight), ...facts.incidents];
  const overlaps = (sight.overlaps?.pairs() ?? []).map((each) => openOverlap(read, each));
  const items = rankAttention({ ...facts, incidents, overlaps });
  const total = countAttention(read) + incidents.length - facts.incidents.length + overlaps.length;
  return { items: items.map((item) => viewAttention(item, ownerOf(read, item))), total };
}

export function attentionCall(read: Reader, sight: AttentionSight): Calls['listAttention'] {
  return async ({ task: reference } = {}) => {
    const task = reference === undefined ? null : findTask(read, reference);
    if (isRefusal(task)) return task;
    const all = attentionOf(read, sight);
    if (task === null) return all;
    const items = all.items.filter((item) => item.task === task.id);
    return { items, total: items.length };
  };
}

/** The agent whose work or question it is, the node that caused it, else whoever runs this node. */
function ownerOf(read: Reader, { taskId, node }: AttentionItem): string {
  const agent = taskId && (selectLastAgent(read, taskId) ?? selectTask(read, taskId)?.routing.agent);
  return agent ?? node ?? OPERATOR;
}

function viewAttention(item: AttentionItem, owner: string): AttentionView {
  const { id, kind, taskId, title, why, actions, deadlineAt, defaultAction, risk } = item;
  return {
    id,
    kind,
    task: taskId,
    title: title && maskWritten(title),
    why: maskWritten(why),
    actions,
    deadlineAt: deadlineAt === null ? null : new Date(deadlineAt).toISOString(),
    default: defaultAction,
    risk,
    owner,
  };
}

/** The queue with an incident that the ledger cannot hold. */
export function withIncident({ items, total }: AttentionList, incident: OpenIncident): AttentionList {
  const none = { reviews: [], undecided: [], blocked: [], questions: [], overlaps: [], capabilities: [] };
  const only = { ...none, incidents: [incident] };
  const added = rankAttention(only).map((item) => viewAttention(item, item.node ?? OPERATOR));
  return { items: [...added, ...items], total: total + 1 };
}
