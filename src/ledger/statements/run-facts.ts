import { type Execution, replay } from '../../domain/execution/execution.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import { liftFact, storedFact } from '../../domain/execution/lift-fact.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { Reader, Tx } from '../tx.ts';
import type { OrderRow } from './orders.ts';

type Round = Pick<OrderRow, 'taskId' | 'round'>;

export function insertFact(tx: Tx, { taskId, round }: Round, fact: Fact): void {
  const last = tx.tuple('SELECT max(number) FROM run_facts WHERE task_id = ? AND round = ?', taskId, round)?.[0];
  tx.write(
    'INSERT INTO run_facts (task_id, round, number, fact, at) VALUES (?, ?, ?, ?, ?)',
    taskId,
    round,
    Number(last ?? 0) + 1,
    JSON.stringify(storedFact(fact)),
    tx.moment.now.wallMs,
  );
}

/** Oldest first. */
export function selectFacts(tx: Reader, round: Round): Fact[] {
  return selectFactRows(tx, round).map(({ fact }) => liftFact(fact));
}

/** The state that the facts of a round add up to. */
export function selectExecution(tx: Reader, round: Round): Execution {
  return replay(selectFacts(tx, round));
}

/** The rounds of a task before one, newest first. */
export function earlierRounds(tx: Reader, { taskId, round }: Round): Execution[] {
  return Array.from({ length: round - 1 }, (_, at) => selectExecution(tx, { taskId, round: round - 1 - at }));
}

const SELECT_OF_KIND = `SELECT fact FROM run_facts WHERE task_id = ? AND round = ? AND json_extract(fact, '$.kind') = ?
  ORDER BY number DESC LIMIT 1`;

/** The last fact of a kind, without reading the others. */
export function selectLastFact<Kind extends Fact['kind']>(
  tx: Reader,
  { taskId, round }: Round,
  kind: Kind,
): Extract<Fact, { readonly kind: Kind }> | null {
  const stored = tx.tuple(SELECT_OF_KIND, taskId, round, kind)?.[0];
  if (stored === undefined) return null;
  return liftFact(JSON.parse(stored as string) as FactRow['fact']) as Extract<Fact, { readonly kind: Kind }>;
}

const SELECT_COLLECTED = `SELECT task_id, fact, at FROM run_facts
  WHERE task_id IN (SELECT id FROM tasks ORDER BY number DESC LIMIT ?) AND json_extract(fact, '$.kind') = 'collected'
    AND fact LIKE '%' || ? || '%' ESCAPE '\\' ORDER BY at DESC LIMIT ?`;

export interface CollectedRow {
  readonly taskId: TaskName;
  readonly at: number;
  readonly fact: Extract<Fact, { readonly kind: 'collected' }>;
}

/** The last ends of attempts whose changed files may contain a text; only the newest tasks are looked at. */
export function selectCollected(
  tx: Reader,
  { text, tasks, limit }: { readonly text: string; readonly tasks: number; readonly limit: number },
): CollectedRow[] {
  // As JSON writes it, without the marks around it.
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[\\%_]/g, '\\$&');
  return tx.tuples(SELECT_COLLECTED, tasks, escaped, limit).map(([taskId, fact, at]) => ({
    taskId: taskId as TaskName,
    at: at as number,
    fact: liftFact(JSON.parse(fact as string) as FactRow['fact']) as CollectedRow['fact'],
  }));
}

export interface FactRow {
  readonly number: number;
  readonly fact: { readonly v?: number };
  readonly at: number;
}

/** As they are stored, of whatever version. */
export function selectFactRows(tx: Reader, { taskId, round }: Round): FactRow[] {
  const sql = 'SELECT number, fact, at FROM run_facts WHERE task_id = ? AND round = ? ORDER BY number';
  return tx.tuples(sql, taskId, round).map(([number, fact, at]) => {
    return { number: number as number, fact: JSON.parse(fact as string) as FactRow['fact'], at: at as number };
  });
}

/** The saved states of git and ignored files, and the ignore rules, that the facts of one round name. */
export interface NamedStates extends Round {
  readonly names: readonly string[];
}

const SELECT_STATES = `SELECT task_id, round, json_extract(fact, '$.gitState'), json_extract(fact, '$.ignoredState'),
    json_extract(fact, '$.checkedIgnored'), json_extract(fact, '$.gitInventory.rules'),
    json_extract(fact, '$.theirs.gitState'), json_extract(fact, '$.theirs.ignoredState') FROM run_facts
  WHERE json_extract(fact, '$.kind') IN ('snapshotted', 'launched', 'collected', 'verified')`;

export function selectNamedStates(tx: Reader): NamedStates[] {
  return tx.tuples(SELECT_STATES).map(([taskId, round, ...names]) => ({
    taskId: taskId as NamedStates['taskId'],
    round: round as number,
    names: names.filter((name): name is string => typeof name === 'string'),
  }));
}

/** Puts lifted facts in the place of a round's old ones. The first is the order, which old rounds lack. */
export function replaceFacts(
  tx: Tx,
  { taskId, round, at }: Round & Pick<OrderRow, 'at'>,
  facts: readonly Fact[],
): void {
  const instants = selectFactRows(tx, { taskId, round }).map((row) => row.at);
  tx.write('DELETE FROM run_facts WHERE task_id = ? AND round = ?', taskId, round);
  for (const [number, fact] of facts.entries()) {
    tx.write(
      'INSERT INTO run_facts (task_id, round, number, fact, at) VALUES (?, ?, ?, ?, ?)',
      taskId,
      round,
      number + 1,
      JSON.stringify(storedFact(fact)),
      instants[number - 1] ?? at,
    );
  }
}
