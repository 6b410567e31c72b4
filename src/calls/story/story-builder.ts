import type { EventView } from '../../api/contract.ts';
import type { StoryItem, StoryStep, StoryTurn } from '../../api/trace/story-contract.ts';
import { begunStep, checkLine, endedStep, payloadText, printedLines, record, sum, tracedOf } from './event-payload.ts';
import { isTold, lineOf } from './story-line.ts';

/** Runs of reviewers, which are none of the task's own. */
const REVIEWER_RUN = 'rvw_';

/** The attempts before the first event that is told. */
export interface EarlierAttempts {
  readonly number: number;
  /** The run of the last one; empty where there is none. */
  readonly run: string;
  /** The index of its last turn; -1 for none. */
  readonly lastTurn: number;
}

type PlaceName = 'id' | 'at' | 'changed';
/** An item before its place is known. */
type Draft = StoryItem extends infer One ? (One extends StoryItem ? Omit<One, PlaceName> : never) : never;

/** Turns the events of a task into its story, one event after the other. */
export class StoryBuilder {
  readonly #items: StoryItem[] = [];
  #attempts: number;
  #run: string;
  /** The position of the open turn; -1 for none. */
  #open = -1;
  /** The highest index of the turns of this run that are recorded. */
  #recorded: number;
  /** The event that is being told. */
  #id = 0;
  #at = '';

  constructor({ number, run, lastTurn }: EarlierAttempts = { number: 0, run: '', lastTurn: -1 }) {
    this.#attempts = number;
    this.#run = run;
    this.#recorded = lastTurn;
  }

  get items(): readonly StoryItem[] {
    return this.#items;
  }

  add(event: EventView): void {
    this.#id = event.eventId;
    this.#at = event.timestamp;
    const handler = Object.hasOwn(this.#handlers, event.type) ? this.#handlers[event.type] : undefined;
    if (handler) handler(event);
    else this.#tell(event);
  }

  /** By the type of the event. */
  readonly #handlers: Readonly<Record<string, (event: EventView) => void>> = {
    'task.claimed': ({ payload, actor }) => this.#beginAttempt(payloadText(payload.run), actor),
    'run.session_opened': ({ payload, runId }) => this.#setModel(runId ?? '', payloadText(payload.model)),
    'run.thought': (event) =>
      this.#inTurn(event, (turn) => ({ ...turn, thought: joined(turn.thought, payloadText(event.payload.text)) })),
    'run.spoke': (event) =>
      this.#inTurn(event, (turn) => ({ ...turn, words: joined(turn.words, payloadText(event.payload.text)) })),
    'run.tool_started': (event) => this.#beginStep(event, begunStep(event.payload, event.timestamp)),
    'run.tool_ended': ({ payload, timestamp }) =>
      this.#endStep(payloadText(payload.call), endedStep(payload, timestamp)),
    'workspace.recorded': (event) => this.#addFiles(event),
    'turn.recorded': (event) => this.#endTurn(event),
    'order.snapshotted': ({ payload }) => this.#addChecks('before', payload.checks),
    'run.verified': ({ payload }) => this.#addChecks('after', payload.results),
    'trace.event_recorded': (event) => this.#addTraced(event),
    'question.asked': ({ payload }) => this.#ask(payload),
    'question.answered': (event) => this.#answer(event),
    'feedback.answered': (event) => this.#endReviewer(event),
    'feedback.lost': (event) => this.#endReviewer(event),
    'words.said': ({ payload, actor }) => this.#push({ kind: 'told', by: actor, text: payloadText(payload.text) }),
  };

  #beginAttempt(run: string, agent: string): void {
    this.#closeTurn();
    this.#run = run;
    this.#attempts++;
    this.#recorded = -1;
    this.#push({ kind: 'attempt', number: this.#attempts, run, agent, model: null });
  }

  #setModel(run: string, model: string): void {
    const at = this.#items.findLastIndex((item) => item.kind === 'attempt' && item.run === run);
    if (model !== '') this.#change(at, 'attempt', (attempt) => ({ ...attempt, model }));
  }

  /** Thoughts and tool calls of a reviewer are a turn of its own, also where several review at once. */
  #inReview({ actor, runId }: EventView, change: (turn: StoryTurn) => StoryTurn): void {
    const at = this.#items.findLastIndex((item) => item.kind === 'turn' && item.run === runId);
    this.#change(at === -1 ? this.#beginTurn(runId ?? '', actor) : at, 'turn', change);
  }

  #endReviewer(event: EventView): void {
    const { actor, type, timestamp: endedAt } = event;
    const isIts = (turn: StoryTurn) =>
      turn.reviewer !== null && turn.endedAt === null && (turn.reviewer === actor || type === 'feedback.lost');
    const at = this.#items.findLastIndex((item) => item.kind === 'turn' && isIts(item));
    this.#change(at, 'turn', (turn) => ({ ...turn, endedAt }));
    this.#tell(event);
  }

  /** Changes the open turn; begins one where none is open. */
  #inTurn(event: EventView, change: (turn: StoryTurn) => StoryTurn): void {
    if (event.runId?.startsWith(REVIEWER_RUN)) {
      this.#inReview(event, change);
      return;
    }
    if (this.#open === -1) this.#open = this.#beginTurn(this.#run, null);
    this.#change(this.#open, 'turn', change);
  }

  #beginTurn(run: string, reviewer: string | null): number {
    this.#push({ ...EMPTY_TURN, run, reviewer });
    return this.#items.length - 1;
  }

  /** A call is told by the trace and by the run, in either order. */
  #beginStep(event: EventView, step: StoryStep): void {
    const turn = this.#items[this.#turnOf(step.call)];
    const run = event.runId?.startsWith(REVIEWER_RUN) ? event.runId : this.#run;
    if (turn?.kind === 'turn' && turn.run === run) return;
    this.#inTurn(event, (open) => ({ ...open, steps: [...open.steps, step] }));
  }

  /** The result may come in the turn after that of the call. */
  #endStep(call: string, ended: Pick<StoryStep, 'endedAt' | 'result' | 'isSuccess' | 'exitCode'>): void {
    const end = (step: StoryStep): StoryStep => {
      if (step.call !== call) return step;
      const endedAt = step.endedAt ?? ended.endedAt;
      return {
        ...step,
        ...ended,
        endedAt,
        result: ended.result || step.result,
        exitCode: ended.exitCode ?? step.exitCode,
      };
    };
    this.#change(this.#turnOf(call), 'turn', (turn) => ({ ...turn, steps: turn.steps.map(end) }));
  }

  #turnOf(call: string): number {
    return this.#items.findLastIndex((item) => item.kind === 'turn' && item.steps.some((step) => step.call === call));
  }

  /** The trace of an agent that speaks SAOP: its thoughts as they come, its tool calls, and what its program printed. */
  #addTraced(event: EventView): void {
    const traced = tracedOf(event.payload, event.timestamp);
    if (traced.kind === 'begun') this.#beginStep(event, traced.step);
    else if (traced.kind === 'ended') this.#endStep(traced.call, traced);
    else if (traced.kind === 'other') {
      const lines = printedLines(event.payload);
      if (lines.length > 0) this.#push({ kind: 'output', lines });
    } else if (traced.turnIndex > this.#recorded) {
      this.#inTurn(event, (turn) => ({ ...turn, streamed: turn.streamed + traced.chunk }));
    }
  }

  /** The files that a turn changed. */
  #addFiles({ payload, runId }: EventView): void {
    const isIts = (turn: StoryTurn) => turn.index === payload.turnIndex && turn.run === (runId ?? '');
    const at = this.#items.findLastIndex((item) => item.kind === 'turn' && isIts(item));
    const files = Array.isArray(payload.paths) ? payload.paths.map(payloadText) : [];
    this.#change(at, 'turn', (turn) => ({ ...turn, files }));
  }

  #endTurn(event: EventView): void {
    const { payload, timestamp: endedAt } = event;
    const { content: said, metadata } = record(payload.message);
    const content = record(said);
    const usage = record(record(metadata).usage);
    const index = typeof payload.turnIndex === 'number' ? payload.turnIndex : null;
    this.#recorded = Math.max(this.#recorded, index ?? -1);
    this.#inTurn(event, (turn) => ({
      ...turn,
      endedAt,
      index,
      thought: turn.thought || payloadText(content.thought) || turn.streamed,
      action: turn.steps.length > 0 || turn.words !== '' ? '' : payloadText(content.action),
      observation: turn.steps.length > 0 || turn.words !== '' ? '' : payloadText(content.observation),
      confidence: typeof payload.confidence === 'number' ? payload.confidence : null,
      tokens: sum(usage.tokens_input, usage.tokens_output),
      costUsd: typeof usage.cost_usd === 'number' ? usage.cost_usd : null,
    }));
    this.#open = -1;
  }

  /** A run that ended in the middle of a turn. */
  #closeTurn(): void {
    const endedAt = this.#at;
    this.#change(this.#open, 'turn', (turn) => ({ ...turn, endedAt }));
    this.#open = -1;
  }

  #addChecks(when: 'before' | 'after', given: unknown): void {
    this.#closeTurn();
    const results = (Array.isArray(given) ? given : []).map(checkLine);
    if (results.length > 0) this.#push({ kind: 'checks', when, results });
  }

  #ask(payload: EventView['payload']): void {
    const options = Array.isArray(payload.options) ? payload.options.map(payloadText) : [];
    const deadlineAt = payloadText(payload.deadlineAt) || null;
    const about = { what: payloadText(payload.what), why: payloadText(payload.why), options, deadlineAt };
    this.#push({ kind: 'question', question: payloadText(payload.question), ...about, answer: null });
  }

  #answer(event: EventView): void {
    const { payload, timestamp: at, actor: by } = event;
    const question = payloadText(payload.question);
    const asked = this.#items.findLastIndex((item) => item.kind === 'question' && item.question === question);
    if (asked === -1) this.#tell(event);
    const answer = { option: payloadText(payload.answer), by, at };
    this.#change(asked, 'question', (item) => ({ ...item, answer }));
  }

  #tell(event: EventView): void {
    if (event.type === 'run.exited') this.#closeTurn();
    if (isTold(event)) this.#push(lineOf(event));
  }

  #push(item: Draft): void {
    this.#items.push({ ...item, id: this.#id, at: this.#at, changed: this.#id } as StoryItem);
  }

  /** Changes nothing where there is no such item, such as one before the first event that was read. */
  #change<Kind extends StoryItem['kind']>(at: number, kind: Kind, change: (item: Of<Kind>) => Of<Kind>): void {
    const item = this.#items[at];
    if (item?.kind === kind) this.#items[at] = { ...change(item as Of<Kind>), changed: this.#id };
  }
}

type Of<Kind extends StoryItem['kind']> = Extract<StoryItem, { readonly kind: Kind }>;

const EMPTY_TURN: Omit<StoryTurn, PlaceName> = {
  kind: 'turn',
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

function joined(before: string, more: string): string {
  return before === '' ? more : `${before}\n\n${more}`;
}
