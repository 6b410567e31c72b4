import type { EventView } from '../../api/contract.ts';
import type { RequestOf } from '../../api/node-client.ts';
import { viewEvent } from '../../api/task/views.ts';
import type { StoryItem, StoryPage } from '../../api/trace/story-contract.ts';
import { EVENTS_PER_PAGE_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Run } from '../../domain/task/run.ts';
import type { TaskName } from '../../domain/task/task.ts';
import { countingSpans, isSuperseded } from '../../domain/trace/trace.ts';
import { STORY_CONTEXT_EVENTS_MAX } from '../../domain/trace/trace-limits.ts';
import { lastTurnBefore } from '../../ledger/statements/agent-logs.ts';
import { selectEventsBefore, selectEventsThat } from '../../ledger/statements/events.ts';
import { selectRewinds } from '../../ledger/statements/points.ts';
import { selectRunsOfTask } from '../../ledger/statements/runs.ts';
import type { Reader } from '../../ledger/tx.ts';
import { findTask } from '../../operations/task/find-task.ts';
import { type EarlierAttempts, StoryBuilder } from './story-builder.ts';
import { CONTEXT_TYPES, StoryContext } from './story-context.ts';

/** The items of a task's story that begin or change in a part of its log: each is whole, wherever it begins. */
export function storyPage(read: Reader, request: RequestOf<'readStory'>): StoryPage | Refusal {
  const task = findTask(read, request.task);
  if (isRefusal(task)) return task;
  const { after = 0, before, order, limit: asked = EVENTS_PER_PAGE_MAX } = request;
  const limit = Math.min(Math.max(1, asked), EVENTS_PER_PAGE_MAX);
  const isNewestFirst = order === 'newest';
  const filter = { taskId: task.id, runId: null, sessionId: null, types: null, sinceMs: 0 };
  const found = selectEventsThat(read, filter, { after, before, isNewestFirst, limit }).map(viewEvent);
  const part = isNewestFirst ? found.toReversed() : found;
  const first = part[0]?.eventId ?? null;
  const items = first === null ? [] : itemsOf(read, task.id, part);
  return { task: task.id, items, first, last: part.at(-1)?.eventId ?? null, hasMore: part.length === limit };
}

function itemsOf(read: Reader, taskId: TaskName, part: readonly EventView[]): readonly StoryItem[] {
  const [{ eventId: first } = { eventId: 0 }] = part;
  const events = [...eventsBefore(read, taskId, part), ...part];
  const builder = new StoryBuilder(attemptsBefore(read, taskId, events));
  for (const event of events) builder.add(event);
  const spans = countingSpans(selectRewinds(read, taskId));
  return builder.items
    .filter(({ changed }) => changed >= first)
    .map((item) => (item.kind === 'turn' ? { ...item, isSuperseded: isSuperseded(spans, item.id) } : item));
}

/** By their runs: counting the events of a long task would take too long. */
function attemptsBefore(read: Reader, taskId: TaskName, events: readonly EventView[]): EarlierAttempts {
  const [first] = events;
  const claimed = new Set(events.map(({ type, runId }) => (type === 'task.claimed' ? runId : null)));
  const isBefore = ({ id, startedAt }: Run) => startedAt <= Date.parse(first?.timestamp ?? '') && !claimed.has(id);
  const runs = selectRunsOfTask(read, taskId).filter(isBefore);
  const run = runs.at(-1)?.id ?? '';
  return { number: runs.length, run, lastTurn: lastTurnBefore(read, { taskId, runId: run }, first?.eventId ?? 0) };
}

/** Read at first; most items begin just before the part. */
const EVENTS_AT_FIRST = 32;

/** The events before a part that its items begin with, oldest first. */
function eventsBefore(read: Reader, taskId: TaskName, part: readonly EventView[]): readonly EventView[] {
  const context = new StoryContext();
  for (const event of part) context.add(event);
  const events: EventView[] = [];
  let before = part[0]?.eventId ?? 0;
  for (let limit = EVENTS_AT_FIRST; !context.isWhole && events.length < STORY_CONTEXT_EVENTS_MAX; limit *= 2) {
    const page = selectEventsBefore(read, { taskId, types: CONTEXT_TYPES, before, limit }).map(viewEvent);
    for (const event of page) {
      if (context.isWhole) break;
      context.addBefore(event);
      events.push(event);
    }
    if (page.length < limit) break;
    before = page.at(-1)?.eventId ?? before;
  }
  return events.toReversed();
}
