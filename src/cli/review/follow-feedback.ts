import type { NodeClient, RequestOf } from '../../api/node-client.ts';
import type { FeedbackItemView, FeedbackView } from '../../api/review/feedback-contract.ts';
import { isRefusal, type Refusal, refuseTask } from '../../domain/refusal.ts';
import { onStopSignal } from '../../platform/process/own-process.ts';
import { askKey, askLine, InterruptFault, isInteractive } from '../../platform/terminal.ts';
import { folderFlagOf } from '../call-parts.ts';
import type { Answer, Call } from '../command.ts';
import { NodeStopped, type OrderNode } from '../order/order-node.ts';
import { waitForOthers } from '../order/wait-for-others.ts';
import { foldLines } from '../output/lines.ts';
import { printAside, printWarning, refusalValue } from '../output/print.ts';
import { type Style, styleOf } from '../output/style.ts';
import { type FeedbackUpdate, feedbackText, itemLines } from './feedback-text.ts';

const EXIT_FAILED = 1;
const EXIT_REFUSED = 2;
const EXIT_LEFT = 3;
const EXIT_PAUSED = 5;
const EXIT_STOPPED = 130;

/** Shows feedback until it is over, and asks a person where one decides. Ctrl-C stops it; a second Ctrl-C exits at once. */
export function followFeedback(call: Call, node: OrderNode, id: string): Answer<unknown> {
  const { client } = node;
  let exitCode = EXIT_REFUSED;
  let isNodeStopped = false;
  const forget = stopOnSignal(client, id);
  async function* seen(): AsyncGenerator<FeedbackUpdate> {
    try {
      await node.carry({ feedback: id });
      for await (const update of feedbackUpdates(call, client, id)) {
        exitCode = exitCodeOf(update);
        yield update;
      }
    } catch (error) {
      if (!(error instanceof NodeStopped)) throw error;
      isNodeStopped = true;
      exitCode = EXIT_PAUSED;
      yield { kind: 'refusal', refusal: pausedBy(call, id) };
    }
  }
  const folderFlag = folderFlagOf(call);
  return {
    ...(call.flags.json
      ? { values: dataOf(seen()), human: () => null }
      : { values: seen(), human: (update, style) => feedbackText(update as FeedbackUpdate, style, folderFlag) }),
    exitCode: () => exitCode,
    isWork: true,
    finish: async () => {
      forget();
      if (node.isOurs && !isNodeStopped) await waitForOthers(client, '');
      await node.close();
      return null;
    },
  };
}

function pausedBy(call: Call, id: string): Refusal {
  const message = 'the node was stopped in the middle of a round: the reviewers were ended, and earlier rounds stay';
  return { ...refuseTask('node_stopped', message, id), hint: `baton feedback ${id}${folderFlagOf(call)} continues it` };
}

/** Feedback in rounds, step by step, until it is over or waits for a person who is not at this terminal. */
export async function* feedbackUpdates(call: Call, client: NodeClient, id: string): AsyncGenerator<FeedbackUpdate> {
  let told = 0;
  let lastStep = '';
  const shown = new Set<number>();
  let after: number | undefined;
  for (;;) {
    const view = await client.showFeedback({ feedback: id, ...(after !== undefined && { after }) });
    if (isRefusal(view)) return yield { kind: 'refusal', refusal: view };
    const isOver = view.end !== null;
    const whole = view.rounds.filter(({ round }) => isOver || round < view.round);
    for (const round of whole.slice(told)) yield { kind: 'round', view, round, isShown: shown.has(round.round) };
    told = Math.max(told, whole.length);
    if (isOver) return yield { kind: 'end', view };
    const step = `${view.round} ${view.state}`;
    if (step !== lastStep && view.state !== 'over' && view.state !== 'waiting') yield { kind: 'step', view };
    lastStep = step;
    if (view.state === 'waiting') return yield { kind: 'waits', view };
    if (view.state === 'deciding' || view.state === 'fixing') shown.add(view.round);
    if (view.state === 'deciding') {
      if (call.flags.json || !isInteractive()) return yield { kind: 'waits', view };
      await decide(call, client, view);
    }
    after = view.facts;
  }
}

async function decide(call: Call, client: NodeClient, view: FeedbackView): Promise<void> {
  const round = view.rounds.length;
  const decisions = await decideItems(view, styleOf(call)).catch(nullIfInterrupted);
  const answer = await (decisions === null
    ? client.stopFeedback({ feedback: view.feedback })
    : client.decideFeedback({ feedback: view.feedback, round, decisions: [...decisions] }));
  if (isRefusal(answer)) printWarning(answer.message);
}

function nullIfInterrupted(error: unknown): null {
  if (error instanceof InterruptFault) return null;
  throw error;
}

/** One line a round, then the last Response Object with every item and its fate. */
async function* dataOf(all: AsyncGenerator<FeedbackUpdate>): AsyncGenerator<unknown> {
  for await (const update of all) {
    if (update.kind === 'round') yield update.round;
    if (update.kind === 'end' || update.kind === 'waits') yield lastValue(update.view);
    if (update.kind === 'refusal') yield refusalValue(update.refusal, update.refusal.code);
  }
}

function lastValue({ feedback, response, rounds, items, end, fixTask }: FeedbackView) {
  return {
    response: response === null ? null : JSON.parse(response),
    rounds: rounds.length,
    items: items.map(shortItem),
    feedback,
    end: end?.why ?? null,
    message: end?.message ?? null,
    task: fixTask,
  };
}

function shortItem({ id, description, foundBy, fate, reason, firstRound, lastRound }: FeedbackItemView) {
  return { id, description, foundBy, fate, reason, firstRound, lastRound };
}

function exitCodeOf(update: FeedbackUpdate): number {
  if (update.kind === 'refusal') return EXIT_REFUSED;
  const { end, items } = update.view;
  const left = items.some(({ fate }) => fate === 'open' || fate === 'disputed') ? EXIT_LEFT : 0;
  // A person is next; whether anything is left for them is what the exit code tells.
  if (update.kind === 'waits') return left;
  if (end === null || end.why === 'no-answer' || end.why === 'fix-failed') return EXIT_FAILED;
  if (end.why === 'stopped') return EXIT_STOPPED;
  // A reviewer that gave no answer in the last round may have found something.
  const isUnsure = end.why === 'nothing-left' && end.message !== null;
  return isUnsure ? EXIT_LEFT : left;
}

function stopOnSignal(client: NodeClient, id: string): () => void {
  let isAsked = false;
  return onStopSignal(() => {
    if (isAsked) {
      printWarning(`left at once: baton feedback ${id} resumes it`);
      process.exit(EXIT_STOPPED);
    }
    isAsked = true;
    printWarning('stopping; press Ctrl-C again to exit at once');
    void client.stopFeedback({ feedback: id }).catch(() => undefined);
  });
}

type Decision = RequestOf<'decideFeedback'>['decisions'][number];

const KEYS = { a: 'accepted', r: 'rejected', p: 'partial' } as const;
const PROMPT = 'a accept · r reject · p in part · s skip · q stop: ';

/** Asks a person about each open finding, one key an item; null to stop. */
async function decideItems(view: FeedbackView, style: Style): Promise<readonly Decision[] | null> {
  const wanted = new Set(view.undecided);
  const items = view.items.filter(({ id }) => wanted.has(id));
  const decisions: Decision[] = [];
  for (const [at, item] of items.entries()) {
    printAside(foldLines(itemLines(item, `${at + 1} of ${items.length}  `, style), style.columns));
    const decision = await decideOne(item);
    if (decision === 'stop') return null;
    if (decision !== 'skip') decisions.push(decision);
  }
  const isPersonsTurn = view.fixer === null && decisions.some(({ status }) => status !== 'rejected');
  if (isPersonsTurn) {
    const line = await askLine(
      `change ${view.subject} now, then press Enter: the reviewers are asked again (q stops) `,
    );
    if (line === null || /^q/i.test(line.trim())) return null;
  }
  return decisions;
}

async function decideOne({ id }: FeedbackItemView): Promise<Decision | 'skip' | 'stop'> {
  const key = await askKey(PROMPT, ALLOWED);
  if (key === 'q') return 'stop';
  if (key === 's') return 'skip';
  const status = KEYS[key as keyof typeof KEYS];
  if (status === 'accepted') return { id, status };
  const explanation = (await askLine(status === 'rejected' ? 'why not? ' : 'which part? '))?.trim() ?? '';
  return { id, status, ...(explanation !== '' && { explanation }) };
}

const ALLOWED = /^[arpsq]$/;
