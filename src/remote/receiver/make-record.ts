import { agentOfOrder } from '../../dispatch/order-agent.ts';
import { type Attempt, type Execution, lastRun, spentBy } from '../../domain/execution/execution.ts';
import { gitChangesOf, gitSearchOf, ignoredOf } from '../../domain/execution/recorded-changes.ts';
import {
  RESULT_STATES_MAX,
  RESULT_STEPS_BYTES_MAX,
  RESULT_STEPS_MAX,
} from '../../domain/federation/federation-limits.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { EarlierRun, ResultRecord, ResultStep } from '../../domain/remote/result-record.ts';
import { maskValue } from '../../domain/secrets/mask-secrets.ts';
import { OUTPUT_KIND, readFollowing } from '../../domain/trace/printed-lines.ts';
import { maskedMessage } from '../../domain/trace/traced-message.ts';
import type { GitChange } from '../../domain/work/git-state.ts';
import type { Point } from '../../domain/work/point.ts';
import { selectTrace, type TraceRow } from '../../ledger/statements/agent-logs.ts';
import { selectPoints } from '../../ledger/statements/points.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { refuseUnrecorded } from '../../work/recorded-workspace.ts';
import type { LeftWork } from '../../work/work.ts';

/** The record of a reported round, for the node that asked for it. Every text in it is masked. */
export function makeRecord(world: OrderWorld, work: LeftWork): ResultRecord | Refusal {
  const { task, execution } = work;
  const { order, snapshotted, outcome, reported } = execution;
  const last = lastRun(execution);
  const digest = order.parcel?.digest ?? null;
  if (digest === null) return refuse('invalid_argument', `${task.id} is no work of another node`);
  const before = snapshotted?.commit ?? null;
  const after = last?.collected?.commit ?? null;
  if (!reported || !outcome || !snapshotted || !last?.ended || last.runId === null || !before || !after) {
    return refuseUnrecorded(task);
  }
  const { kind: _, runId: __, ...ended } = last.ended;
  const { ownCommits, gitChanges } = gitChangesOf(execution);
  const { verified } = last;
  const texts = {
    checksBefore: snapshotted.made,
    checksAfter: verified?.made ?? null,
    oldTests: verified?.oldTests ?? null,
    violations: last.collected?.violations ?? [],
    ...gitSearchOf(execution),
    gitChanges: gitChanges.filter(isUsefulToSender),
    // No undo of that node reaches the files here.
    ignoredChanges: ignoredOf(execution).ignoredChanges.map((change) => ({ ...change, isSaved: false })),
    ended: { ...ended, spend: { ...ended.spend, ...totalOf(execution) } },
    outcome,
  };
  return {
    version: 1,
    parcel: digest,
    task: task.id,
    run: last.runId,
    agent: agentOf(world, execution, last),
    sandbox: execution.admitted?.sandbox ?? 'none',
    startedAt: last.startedAt,
    states: {
      head: snapshotted.head,
      before,
      checked: snapshotted.checkedCommit,
      after,
      verified: verified?.commit ?? null,
      rolledBack: execution.rolledBack?.commit ?? null,
    },
    rollback: rollbackOf(execution),
    ownCommits: ownCommits ?? null,
    ...maskValue(texts),
    earlierRuns: earlierRuns(execution, last),
    ...stepsOf(world.ledger.read, work),
  };
}

function rollbackOf({ rolledBack }: Execution): ResultRecord['rollback'] {
  if (rolledBack === null) return null;
  const { trigger, files, at } = rolledBack;
  return { trigger, files, at };
}

const USEFUL: readonly GitChange['kind'][] = ['head', 'branch', 'tag'];

function isUsefulToSender({ kind }: GitChange): boolean {
  return USEFUL.includes(kind);
}

function agentOf(world: OrderWorld, { order, admitted }: Execution, last: Attempt): ResultRecord['agent'] {
  const known = agentOfOrder(world.roster, admitted, last.agent);
  const { agentName, provider, model } = order.target;
  return {
    name: last.agent ?? agentName,
    provider: known?.provider ?? provider,
    model: last.model ?? known?.model ?? model,
  };
}

function totalOf(execution: Execution) {
  const spends = execution.attempts.flatMap(({ ended }) => ended?.spend ?? []);
  const sum = (figure: 'tokensInput' | 'tokensOutput') => spends.reduce((total, spend) => total + spend[figure], 0);
  return { ...spentBy(execution), tokensInput: sum('tokensInput'), tokensOutput: sum('tokensOutput') };
}

function earlierRuns({ attempts }: Execution, last: Attempt): readonly EarlierRun[] {
  return attempts.flatMap(({ runId, agent, startedAt, ended }) =>
    runId === null || runId === last.runId
      ? []
      : [{ id: runId, agent: agent ?? '', startedAt, endedAt: ended?.at ?? startedAt }],
  );
}

const PAGE = 1_000;

/** The newest steps, within their bounds. */
function stepsOf(read: Reader, { task, round, execution }: LeftWork): Pick<ResultRecord, 'steps' | 'leftOut'> {
  const runs = new Set(execution.attempts.flatMap(({ runId }) => runId ?? []));
  const points = selectPoints(read, task.id).filter((point) => point.round === round && isState(point));
  const states = points.slice(-RESULT_STATES_MAX).map((point) => ({ place: point.seq, step: stateOf(point) }));
  const messages: { readonly place: number; readonly step: ResultStep }[] = [];
  let [bytes, leftOut] = [0, 0];
  for (let from: number | null = null, isMore = true; isMore; ) {
    const rows = selectTrace(
      read,
      { taskId: task.id, runId: null, kinds: null },
      { from, isNewestFirst: true, limit: PAGE },
    );
    for (const row of rows.filter(({ runId }) => runId !== null && runs.has(runId))) {
      const step = messageOf(row);
      bytes += step.message.length + step.lines.reduce((sum, line) => sum + line.text.length, 0);
      const isRoom = bytes <= RESULT_STEPS_BYTES_MAX && messages.length + states.length < RESULT_STEPS_MAX;
      if (isRoom && leftOut === 0) messages.push({ place: row.place, step });
      else leftOut += 1;
    }
    from = rows.at(-1)?.place ?? null;
    isMore = rows.length === PAGE;
  }
  const all = [...messages, ...states].sort((one, other) => one.place - other.place);
  return { steps: all.map(({ step }) => step), leftOut };
}

function isState({ kind }: Point): boolean {
  return kind === 'turn' || kind === 'end';
}

function stateOf({ runId, kind, turnIndex, commit, files }: Point): ResultStep {
  return { kind: 'state', run: runId, point: kind === 'turn' ? 'turn' : 'end', turnIndex, commit, files };
}

function messageOf({ runId, kind, envelope, shown }: TraceRow): Extract<ResultStep, { readonly kind: 'message' }> {
  const isOutput = kind === OUTPUT_KIND;
  const message = JSON.stringify(maskedMessage({ envelope, shown: isOutput ? null : shown }));
  const lines = isOutput && shown !== null ? readFollowing(shown) : [];
  return { kind: 'message', run: runId ?? '', message, lines };
}
