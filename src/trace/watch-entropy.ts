import { assertNever } from '../domain/assert-never.ts';
import { isRefusal } from '../domain/refusal.ts';
import { DISPATCHER } from '../domain/task/decide-sender.ts';
import { PRIORITIES, type Task } from '../domain/task/task.ts';
import { isTerminal } from '../domain/task/task-lifecycle.ts';
import { detectEntropy, detectFailures, type Entropy, type EntropyAction } from '../domain/trace/detect-entropy.ts';
import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import { selectLastSteps, selectLastTurns } from '../ledger/statements/agent-logs.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { liveRunOf } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import { abandonOrder } from '../operations/order/stop-order.ts';
import { endRun } from '../operations/run/end-run.ts';
import type { RecordedTrace } from '../operations/run/write-trace.ts';
import { editTask } from '../operations/task/edit-task.ts';
import { sayWords } from '../operations/task/say-words.ts';
import { transition } from '../operations/task/transition.ts';
import { entropyPolicyOf } from './entropy-policy.ts';

/** saop:entropy: finds signs that a run goes nowhere, in the message of its trace that was just recorded, and acts on them. */
export function watchEntropy(tx: Tx, task: Task, traced: RecordedTrace): readonly LedgerEvent[] {
  return findEntropy(tx, traced).flatMap((found) => {
    const { rule, action: usual, ...evidence } = found;
    const action = entropyPolicyOf(tx, task)[rule] ?? usual;
    const about = { actor: DISPATCHER, taskId: task.id, runId: traced.runId };
    const payload = { run: traced.runId, rule, action, ...evidence, text: sentenceOf(found) };
    const event = insertEvent(tx, { type: 'trace.entropy_detected', ...about, payload });
    return [event, ...act(tx, traced, { found, action })];
  });
}

function findEntropy(tx: Tx, traced: RecordedTrace): readonly Entropy[] {
  const { fact } = traced;
  if (fact.kind === 'turn') return detectEntropy(selectLastTurns(tx, traced));
  if (fact.kind !== 'return' || fact.isSuccess) return [];
  const found = detectFailures(selectLastSteps(tx, traced));
  return found === null ? [] : [found];
}

function sentenceOf(found: Entropy): string {
  switch (found.rule) {
    case 'repetition':
      return `turns ${numbered(found.turns)} observed the same`;
    case 'confidence':
      return `confidence fell from ${found.confidence[0]} to ${found.confidence.at(-1)} by turn ${numbered(found.turns.slice(-1))}`;
    case 'failures':
      return `${found.failedTurns} turns in a row failed`;
    default:
      return assertNever(found);
  }
}

/** People count turns from 1. */
function numbered(turns: readonly number[]): string {
  return turns.map((index) => index + 1).join(', ');
}

/** Only the run that holds the task is acted on: what others send is evidence, and no more. */
function act(
  tx: Tx,
  { taskId, runId }: RecordedTrace,
  { found, action }: { readonly found: Entropy; readonly action: EntropyAction },
): readonly LedgerEvent[] {
  const task = selectTask(tx, taskId);
  if (task === null || task.runId === null || task.runId !== runId || isTerminal(task.status)) return [];
  switch (action) {
    case 'notify':
      return [];
    case 'pivot': {
      const said = sayWords(tx, { taskId: task.id, text: `${SIGNS[found.rule]} ${PIVOT}`, actor: DISPATCHER });
      return isRefusal(said) ? [] : said.events;
    }
    case 'escalate': {
      const priority = PRIORITIES[Math.max(0, PRIORITIES.indexOf(task.priority) - 1)] ?? task.priority;
      const edited = editTask(tx, {
        taskId: task.id,
        actor: DISPATCHER,
        reason: sentenceOf(found),
        change: { priority },
      });
      return isRefusal(edited) ? [] : edited.events;
    }
    case 'pause':
      return pause(tx, task, sentenceOf(found));
    default:
      return assertNever(action);
  }
}

const SIGNS: Readonly<Record<Entropy['rule'], string>> = {
  repetition: 'The last three steps observed exactly the same.',
  confidence: 'Your confidence has fallen from step to step.',
  failures: 'The last five steps failed.',
};
const PIVOT = 'Do not repeat them: say what you have learned from them, and take another approach.';

/** The files stay as the run left them, so that a person can look and continue. */
function pause(tx: Tx, task: Task, why: string): readonly LedgerEvent[] {
  if (task.status !== 'in-progress') return [];
  const run = liveRunOf(tx, task);
  const abandoned = abandonOrder(tx, task, { message: why, keepsFiles: true });
  const ended = run === null ? [] : [endRun(tx, run, { status: 'abandoned', endReason: why }).event];
  const move = { to: 'blocked', actor: DISPATCHER, reason: why, with: { runId: null } } as const;
  return [...abandoned, ...ended, ...transition(tx, task, move).events];
}
