import { type SeenStep, type SeenTurn, TURNS_COMPARED } from '../../domain/trace/detect-entropy.ts';
import { OUTPUT_KIND } from '../../domain/trace/printed-lines.ts';
import { PRINTED_LINES_PER_RECORD_MAX } from '../../domain/trace/trace-limits.ts';
import type { Reader, Tuple, Tx } from '../tx.ts';

/** One turn or event of an agent, verbatim (saop:columns). */
export interface AgentLog {
  readonly taskId: string;
  readonly runId: string | null;
  /** Null for an event. */
  readonly turnIndex: number | null;
  /** Null for a turn. */
  readonly eventId: string | null;
  /** TURN, or the type of the event; null where it is unknown. */
  readonly kind: string | null;
  readonly envelope: string;
  /** The text that is shown in the place of a chunk, or the lines after the first of some output; else null. */
  readonly shown: string | null;
}

const SELECT_TURN = 'SELECT envelope_json FROM agent_logs WHERE task_id = ? AND run_id IS ? AND turn_index = ?';
const SELECT_EVENT = `SELECT envelope_json FROM agent_logs
  WHERE task_id = ? AND ifnull(run_id, '') = ? AND event_id = ?`;

/** The envelope that the run has recorded under this turn index or event id; null if there is none. */
export function selectRecorded(
  tx: Reader,
  { taskId, runId, turnIndex, eventId }: Omit<AgentLog, 'envelope' | 'kind' | 'shown'>,
): string | null {
  const tuple =
    turnIndex === null
      ? tx.tuple(SELECT_EVENT, taskId, runId ?? '', eventId)
      : tx.tuple(SELECT_TURN, taskId, runId, turnIndex);
  return (tuple?.[0] ?? null) as string | null;
}

const INSERT = `INSERT INTO agent_logs (task_id, run_id, turn_index, envelope_json, event_id, at, seq, kind, place, shown)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** `seq` is the event that announces it. */
export function insertAgentLog(tx: Tx, log: AgentLog, seq: number): void {
  const { taskId, runId, turnIndex, envelope, eventId, kind, shown } = log;
  const place = turnIndex === null ? seq : placeOfTurn(tx, { ...log, turnIndex }, seq);
  tx.write(INSERT, taskId, runId, turnIndex, envelope, eventId, tx.moment.now.wallMs, seq, kind, place, shown);
}

const NEXT_TURN = `SELECT turn_index, place FROM agent_logs WHERE task_id = ? AND run_id IS ? AND turn_index > ?
  ORDER BY turn_index LIMIT 1`;
/** Turns of one run that can stand before another one without an event between them. */
const LATE_TURNS_MAX = 2 ** 20;

/** Late turns stand before the next turn by index, in a fraction of its place that leaves room for all between them. */
function placeOfTurn(
  tx: Tx,
  { taskId, runId, turnIndex }: AgentLog & { readonly turnIndex: number },
  seq: number,
): number {
  const next = tx.tuple(NEXT_TURN, taskId, runId, turnIndex);
  if (!next) return seq;
  const [nextIndex, nextPlace] = next as [number, number];
  return nextPlace - Math.min(nextIndex - turnIndex, LATE_TURNS_MAX - 1) / LATE_TURNS_MAX;
}

/** A field of an envelope that is JSON; earlier versions may have stored something else. */
const FIELD = (path: string) => `CASE WHEN json_valid(envelope_json) THEN envelope_json ->> '${path}' END`;
const LAST_TURNS = `SELECT turn_index, ${FIELD('$.content.observation')}, ${FIELD('$.metadata.confidence')}
  FROM agent_logs WHERE task_id = ? AND run_id IS ? AND turn_index IS NOT NULL ORDER BY place DESC LIMIT ?`;

/** The last turns of a run, oldest first. */
export function selectLastTurns(tx: Reader, { taskId, runId }: Pick<AgentLog, 'taskId' | 'runId'>): SeenTurn[] {
  return tx
    .tuples(LAST_TURNS, taskId, runId, TURNS_COMPARED)
    .map(([index, observation, confidence]) => ({
      index: index as number,
      observation: String(observation ?? ''),
      confidence: Number(confidence ?? 0),
    }))
    .reverse();
}

const LAST_TURN = `SELECT turn_index FROM agent_logs WHERE task_id = ? AND run_id = ? AND turn_index IS NOT NULL AND place < ?
  ORDER BY place DESC LIMIT 1`;

/** The last turn of a run that was recorded before an event; -1 for none. */
export function lastTurnBefore(
  tx: Reader,
  run: { readonly taskId: string; readonly runId: string },
  before: number,
): number {
  return Number(tx.tuple(LAST_TURN, run.taskId, run.runId, before)?.[0] ?? -1);
}

const RETURN_KIND = 'TOOL_LIFECYCLE_COMPLETED';
const LAST_STEPS = `SELECT kind, CASE WHEN kind = '${RETURN_KIND}' THEN ${FIELD('$.payload.status')} END FROM agent_logs
  WHERE task_id = ? AND run_id IS ? AND kind IN ('TURN', '${RETURN_KIND}') ORDER BY place DESC LIMIT ?`;
const STEPS_COMPARED = 200;

/** The last turns and ends of tool calls of a run, newest first. */
export function selectLastSteps(tx: Reader, { taskId, runId }: Pick<AgentLog, 'taskId' | 'runId'>): SeenStep[] {
  return tx
    .tuples(LAST_STEPS, taskId, runId, STEPS_COMPARED)
    .map(([kind, status]) =>
      kind === RETURN_KIND ? { kind: 'return', isSuccess: status === 'success' } : { kind: 'turn' },
    );
}

/** One row of a trace. */
export interface TraceRow extends Pick<AgentLog, 'runId' | 'turnIndex' | 'kind' | 'envelope' | 'shown'> {
  readonly place: number;
  /** The seq of its event; null in a turn of an older ledger, which has none. */
  readonly seq: number | null;
  readonly at: number;
}

const ROW_COLUMNS = 'place, seq, run_id, turn_index, kind, envelope_json, shown, at';

function toTraceRow([place, seq, runId, turnIndex, kind, envelope, shown, at]: Tuple): TraceRow {
  return {
    place: place as number,
    seq: seq as number | null,
    runId: runId as string | null,
    turnIndex: turnIndex as number | null,
    kind: kind as string | null,
    envelope: envelope as string,
    shown: shown as string | null,
    at: at as number,
  };
}

export interface TraceFilter {
  readonly taskId: string;
  /** Null for all runs. */
  readonly runId: string | null;
  /** TURN and types of events; null for all. */
  readonly kinds: readonly string[] | null;
}

export interface TracePart {
  /** The place to continue from; null at the beginning, or at the end where it is read newest first. */
  readonly from: number | null;
  readonly isNewestFirst: boolean;
  readonly limit: number;
}

/** The distance between the places of two lines that are stored in one record. */
export const LINE_PLACE = 2 ** -20;
/** A record of output whose first lines were read has more. */
const AFTER = `place > ? - ${(PRINTED_LINES_PER_RECORD_MAX + 2) * LINE_PLACE} AND (place > ? OR kind = '${OUTPUT_KIND}')`;

/** A page of a trace, by place; newest last, it may begin with a record of output that was read. */
export function selectTrace(tx: Reader, { taskId, runId, kinds }: TraceFilter, part: TracePart): TraceRow[] {
  const { from, isNewestFirst, limit } = part;
  const areTurns = kinds?.length === 1 && kinds[0] === 'TURN';
  const conditions: (readonly [sql: string, ...values: (string | number)[]])[] = [
    ['task_id = ?', taskId],
    ...(runId === null ? [] : [['run_id = ?', runId] as const]),
    // Named by what their index has.
    ...(areTurns ? [['turn_index IS NOT NULL'] as const] : []),
    ...(kinds === null || areTurns
      ? []
      : [['kind IN (SELECT value FROM json_each(?))', JSON.stringify(kinds)] as const]),
    ...(from === null ? [] : [isNewestFirst ? (['place < ?', from] as const) : ([AFTER, from, from] as const)]),
  ];
  const where = conditions.map(([sql]) => sql).join(' AND ');
  const order = isNewestFirst ? 'DESC' : 'ASC';
  const sql = `SELECT ${ROW_COLUMNS} FROM agent_logs WHERE ${where} ORDER BY place ${order} LIMIT ?`;
  return tx.tuples(sql, ...conditions.flatMap(([, ...values]) => values), limit).map(toTraceRow);
}
