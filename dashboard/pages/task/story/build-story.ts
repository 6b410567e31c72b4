import type { EventView } from '../../../../src/api/contract.ts';
import { settledWord, type VerdictWord, WORD_TONES } from '../../../../src/domain/words/verdict-words.ts';
import { actorOf, sentenceOf } from '../../../parts/event-sentence.ts';
import { begunStep, checkLine, endedStep, moreOf, printedLines, record, sum, text, tracedOf } from './event-payload.ts';
import type { OutputItem, Step, StoryItem, Tone, TurnItem } from './story-item.ts';

/** Told elsewhere: by the attempt, the turn or the checks that they belong to. */
const UNTOLD: ReadonlySet<string> = new Set([
  ...['order.reported', 'order.admitted', 'run.launched', 'run.ended', 'words.delivered'],
  ...['run.progressed', 'task.completed', 'task.edited', 'protocol.message.received'],
]);
const TONES: Readonly<Record<string, Tone>> = {
  'order.unanswered': 'bad',
  'order.requeued': 'warn',
  'order.rolled_back': 'warn',
  'order.stop_requested': 'warn',
  'run.warned': 'warn',
  'run.retried': 'warn',
  'run.quota_reached': 'warn',
  'task.rewound': 'warn',
  'work.undone': 'warn',
  'work.discarded': 'warn',
  'work.applied': 'good',
  'review.approved': 'good',
  'review.returned': 'warn',
  'incident.opened': 'bad',
  'protocol.message.rejected': 'bad',
};
/** Lines of output in one item of the story. */
const OUTPUT_LINES_MAX = 2_000;
/** Runs of reviewers, which are none of the task's own. */
const REVIEWER_RUN = 'rvw_';
/** Moves that the story tells anyway. */
const QUIET_MOVES: ReadonlySet<string> = new Set(['ready', 'in-progress', 'review']);

/** Turns the events of a task into its story, one event after the other. */
export class StoryBuilder {
  readonly #items: StoryItem[] = [];
  #attempts = 0;
  #run = '';
  /** The place of the open turn; -1 for none. */
  #open = -1;
  /** The highest index of the turns of this run that are recorded. */
  #recorded = -1;

  get items(): readonly StoryItem[] {
    return this.#items;
  }

  add(event: EventView): void {
    const handler = Object.hasOwn(this.#handlers, event.type) ? this.#handlers[event.type] : undefined;
    if (handler) handler(event);
    else this.#tell(event);
  }

  /** By the type of the event. */
  readonly #handlers: Readonly<Record<string, (event: EventView) => void>> = {
    'task.claimed': (event) => this.#beginAttempt(event),
    'run.session_opened': ({ payload }) => this.#setModel(text(payload.model)),
    'run.thought': (event) =>
      this.#inTurn(event, (turn) => ({ ...turn, thought: joined(turn.thought, text(event.payload.text)) })),
    'run.spoke': (event) =>
      this.#inTurn(event, (turn) => ({ ...turn, words: joined(turn.words, text(event.payload.text)) })),
    'run.tool_started': (event) => this.#beginStep(event, begunStep(event.payload, event.timestamp)),
    'run.tool_ended': ({ payload, timestamp }) => this.#endStep(text(payload.call), endedStep(payload, timestamp)),
    'workspace.recorded': (event) => this.#addFiles(event),
    'turn.recorded': (event) => this.#endTurn(event),
    'order.snapshotted': (event) => this.#addChecks(event, 'before'),
    'run.verified': (event) => this.#addChecks(event, 'after'),
    'trace.event_recorded': (event) => this.#addTraced(event),
    'question.asked': (event) => this.#ask(event),
    'question.answered': (event) => this.#answer(event),
    'feedback.answered': (event) => this.#endReviewer(event),
    'feedback.lost': (event) => this.#endReviewer(event),
    'words.said': (event) => {
      const { eventId: id, timestamp: at, payload } = event;
      this.#push({ kind: 'told', id, at, by: actorOf(event), text: text(payload.text) });
    },
  };

  #beginAttempt({ payload, actor, eventId: id, timestamp: at }: EventView): void {
    this.#closeTurn(at);
    this.#run = text(payload.run);
    this.#attempts++;
    this.#recorded = -1;
    this.#push({ kind: 'attempt', id, at, number: this.#attempts, run: this.#run, agent: actor, model: null });
  }

  #setModel(model: string): void {
    const at = this.#items.findLastIndex(({ kind }) => kind === 'attempt');
    const attempt = this.#items[at];
    if (attempt?.kind === 'attempt' && model !== '') this.#items[at] = { ...attempt, model };
  }

  /** Thoughts and tool calls of a reviewer are a turn of its own, also where several review at once. */
  #inReview({ eventId: id, timestamp: at, actor, runId }: EventView, change: (turn: TurnItem) => TurnItem): void {
    const place = this.#items.findLastIndex((item) => item.kind === 'turn' && item.run === runId);
    const known = this.#items[place];
    if (known?.kind === 'turn') this.#items[place] = change(known);
    else this.#push(change({ ...EMPTY_TURN, id, at, run: runId ?? '', reviewer: actor }));
  }

  #endReviewer(event: EventView): void {
    const { actor, timestamp: at } = event;
    const place = this.#items.findLastIndex(
      (item) =>
        item.kind === 'turn' &&
        item.endedAt === null &&
        (item.reviewer === actor || event.type === 'feedback.lost') &&
        item.reviewer !== null,
    );
    const turn = this.#items[place];
    if (turn?.kind === 'turn') this.#items[place] = { ...turn, endedAt: at };
    this.#tell(event);
  }

  /** Changes the open turn; begins one where none is open. */
  #inTurn(event: EventView, change: (turn: TurnItem) => TurnItem): void {
    const { eventId: id, timestamp: at } = event;
    if (event.runId?.startsWith(REVIEWER_RUN)) {
      this.#inReview(event, change);
      return;
    }
    if (this.#open === -1) {
      this.#open = this.#items.length;
      this.#items.push({ ...EMPTY_TURN, id, at, run: this.#run });
    }
    this.#items[this.#open] = change(this.#items[this.#open] as TurnItem);
  }

  /** A call is told by the trace and by the run, in either order. */
  #beginStep(event: EventView, step: Step): void {
    const turn = this.#items[this.#turnOf(step.call)];
    const run = event.runId?.startsWith(REVIEWER_RUN) ? event.runId : this.#run;
    if (turn?.kind === 'turn' && turn.run === run) return;
    this.#inTurn(event, (open) => ({ ...open, steps: [...open.steps, step] }));
  }

  /** The result may come in the turn after that of the call. */
  #endStep(call: string, ended: Pick<Step, 'endedAt' | 'result' | 'isSuccess' | 'exitCode'>): void {
    const place = this.#turnOf(call);
    const turn = this.#items[place];
    if (turn?.kind !== 'turn') return;
    const steps = turn.steps.map((step) =>
      step.call === call
        ? { ...step, ...ended, endedAt: step.endedAt ?? ended.endedAt, result: ended.result || step.result }
        : step,
    );
    this.#items[place] = { ...turn, steps };
  }

  #turnOf(call: string): number {
    return this.#items.findLastIndex((item) => item.kind === 'turn' && item.steps.some((step) => step.call === call));
  }

  /** The trace of an agent that speaks SAOP: its thoughts as they come, its tool calls, and what its program printed. */
  #addTraced(event: EventView): void {
    const traced = tracedOf(event.payload, event.timestamp);
    if (traced.kind === 'begun') this.#beginStep(event, traced.step);
    else if (traced.kind === 'ended') this.#endStep(traced.call, traced);
    else if (traced.kind === 'other') this.#addOutput(event);
    else if (traced.turnIndex > this.#recorded) {
      this.#inTurn(event, (turn) => ({ ...turn, streamed: turn.streamed + traced.chunk }));
    }
  }

  /** The files that a turn changed. */
  #addFiles({ payload, runId }: EventView): void {
    const place = this.#items.findLastIndex(
      (item) => item.kind === 'turn' && item.index === payload.turnIndex && item.run === (runId ?? ''),
    );
    const turn = this.#items[place];
    const files = Array.isArray(payload.paths) ? payload.paths.map(text) : [];
    if (turn?.kind === 'turn') this.#items[place] = { ...turn, files };
  }

  #endTurn(event: EventView): void {
    const { payload, timestamp: at } = event;
    const message = record(payload.message);
    const content = record(message.content);
    const usage = record(record(message.metadata).usage);
    if (typeof payload.turnIndex === 'number') this.#recorded = Math.max(this.#recorded, payload.turnIndex);
    this.#inTurn(event, (turn) => ({
      ...turn,
      endedAt: at,
      index: typeof payload.turnIndex === 'number' ? payload.turnIndex : null,
      thought: turn.thought || text(content.thought) || turn.streamed,
      action: turn.steps.length > 0 || turn.words !== '' ? '' : text(content.action),
      observation: turn.steps.length > 0 || turn.words !== '' ? '' : text(content.observation),
      confidence: typeof payload.confidence === 'number' ? payload.confidence : null,
      tokens: sum(usage.tokens_input, usage.tokens_output),
      costUsd: typeof usage.cost_usd === 'number' ? usage.cost_usd : null,
      isSuperseded: payload.isSuperseded === true,
    }));
    this.#open = -1;
  }

  /** A run that ended in the middle of a turn. */
  #closeTurn(at: string): void {
    const turn = this.#items[this.#open];
    if (turn?.kind === 'turn') this.#items[this.#open] = { ...turn, endedAt: at };
    this.#open = -1;
  }

  #addChecks({ eventId: id, timestamp: at, payload }: EventView, when: 'before' | 'after'): void {
    this.#closeTurn(at);
    const given = when === 'before' ? payload.checks : payload.results;
    const results = (Array.isArray(given) ? given : []).map(checkLine);
    if (results.length > 0) this.#push({ kind: 'checks', id, at, when, results });
  }

  /** Lines that follow each other are one item, up to a bound. */
  #addOutput({ eventId: id, timestamp: at, payload }: EventView): void {
    const lines = printedLines(payload);
    if (lines.length === 0) return;
    const last = this.#items.at(-1);
    if (last?.kind === 'output' && last.lines.length < OUTPUT_LINES_MAX) {
      const joined: OutputItem = { ...last, lines: [...last.lines, ...lines] };
      this.#items[this.#items.length - 1] = joined;
    } else this.#push({ kind: 'output', id, at, lines });
  }

  #ask({ eventId: id, timestamp: at, payload }: EventView): void {
    const options = Array.isArray(payload.options) ? payload.options.map(text) : [];
    const deadlineAt = text(payload.deadlineAt) || null;
    const about = { what: text(payload.what), why: text(payload.why), options, deadlineAt };
    this.#push({ kind: 'question', id, at, question: text(payload.question), ...about, answer: null });
  }

  #answer(event: EventView): void {
    const { payload, timestamp: at } = event;
    const question = text(payload.question);
    const place = this.#items.findLastIndex((item) => item.kind === 'question' && item.question === question);
    const asked = this.#items[place];
    if (asked?.kind !== 'question') {
      this.#tell(event);
      return;
    }
    this.#items[place] = { ...asked, answer: { option: text(payload.answer), by: actorOf(event), at } };
  }

  #tell(event: EventView): void {
    const { type, payload, eventId: id, timestamp: at } = event;
    if (type === 'run.exited') this.#closeTurn(at);
    if (UNTOLD.has(type) || (type === 'task.transitioned' && QUIET_MOVES.has(text(payload.to)))) return;
    if (type === 'run.exited' && payload.end === 'finished') return;
    this.#push({
      kind: 'line',
      id,
      at,
      tone: toneOf(event),
      by: actorOf(event),
      text: sentenceOf(event),
      more: moreOf(payload),
    });
  }

  #push(item: StoryItem): void {
    this.#items.push(item);
  }
}

const EMPTY_TURN: TurnItem = {
  kind: 'turn',
  id: 0,
  at: '',
  endedAt: null,
  run: '',
  reviewer: null,
  index: null,
  thought: '',
  streamed: '',
  steps: [],
  files: [],
  words: '',
  action: '',
  observation: '',
  confidence: null,
  tokens: null,
  costUsd: null,
  isSuperseded: false,
};

function toneOfWord(word: VerdictWord | null): Tone {
  const tone = word && WORD_TONES[word];
  return tone === 'good' || tone === 'bad' ? tone : 'warn';
}

function toneOf({ type, payload }: EventView): Tone {
  if (type === 'order.settled') return toneOfWord(settledWord(payload));
  if (type === 'run.exited') return payload.end === 'failed' || payload.end === 'lost' ? 'bad' : 'warn';
  if (type === 'task.transitioned') return payload.to === 'blocked' || payload.to === 'deadletter' ? 'warn' : 'plain';
  return TONES[type] ?? 'plain';
}

function joined(before: string, more: string): string {
  return before === '' ? more : `${before}\n\n${more}`;
}
