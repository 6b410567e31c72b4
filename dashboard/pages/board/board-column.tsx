import type { Signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { ListedTask } from '../../../src/api/contract.ts';
import type { Overview } from '../../../src/api/overview/overview-contract.ts';
import { call } from '../../node/call-node.ts';
import { useResource } from '../../node/resource.ts';
import { counted, numberOf } from '../../parts/format.ts';
import { Row } from '../../parts/rows.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { Verdict, verdictOf } from '../../parts/verdict.tsx';
import type { Column, Status } from './columns.ts';

const PAGE = 40;

interface ColumnProps {
  readonly column: Column;
  /** The number of all tasks, whatever the filter. */
  readonly total: number;
  readonly wanted: { readonly text: string; readonly agent: string };
  readonly moves: Overview['moves'];
  readonly dragged: Signal<{ readonly id: string; readonly from: string } | null>;
  readonly onMove: (id: string, to: Status) => void;
}

/** The newest tasks of a status; more on demand. */
export function BoardColumn({ column, total, wanted, moves, dragged, onMove }: ColumnProps) {
  const [pages, setPages] = useState(1);
  const key = `${column.title}-${wanted.text}-${wanted.agent}-${pages}`;
  const tasks = useResource(
    key,
    () => readTasks(column, wanted, pages * PAGE),
    ({ type }) => /^(task|work)\./.test(type),
  );
  useEffect(() => setPages(1), [wanted.text, wanted.agent]);
  const [to = 'backlog'] = column.statuses;
  const { value } = dragged;
  const canDrop = value !== null && (moves[value.from as Status] ?? []).includes(to);
  const isNarrowed = wanted.text !== '' || wanted.agent !== '';
  return (
    <section
      class={`column ${value !== null ? (canDrop ? 'can-drop' : 'no-drop') : ''}`}
      aria-label={column.title}
      onDragOver={(event) => {
        if (canDrop) event.preventDefault();
      }}
      onDrop={(event) => {
        event.preventDefault();
        if (canDrop && value) onMove(value.id, to);
        dragged.value = null;
      }}
    >
      <h2>
        {column.title} <span class="count">{total.toLocaleString('en')}</span>
      </h2>
      <Loaded of={tasks} what={column.title}>
        {({ shown, hasMore }) => (
          <>
            <ul>
              {shown.map((task) => (
                <Card key={task.id} task={task} moves={moves} dragged={dragged} onMove={onMove} />
              ))}
            </ul>
            {shown.length === 0 && <p class="empty">{isNarrowed ? 'None fits.' : 'None.'}</p>}
            {hasMore && (
              <button type="button" class="button plain small" onClick={() => setPages(pages + 1)}>
                {isNarrowed ? 'More' : `${counted(Math.max(0, total - shown.length), 'more', 'more')}`}
              </button>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

type CardProps = Pick<ColumnProps, 'moves' | 'dragged' | 'onMove'> & { readonly task: ListedTask };

function Card({ task, moves, dragged, onMove }: CardProps) {
  const to = moves[task.status] ?? [];
  return (
    <Row id={task.id} href={`/tasks/${task.id}`} class="card">
      <article
        class="card-body"
        draggable={to.length > 0}
        onDragStart={(event) => {
          event.dataTransfer?.setData('text/plain', task.id);
          dragged.value = { id: task.id, from: task.status };
        }}
        onDragEnd={() => {
          dragged.value = null;
        }}
      >
        <a class="card-title" href={`/tasks/${task.id}`} title={task.id}>
          <span class="muted">{numberOf(task.id)}</span> {task.title}
        </a>
        <div class="card-facts muted">
          {task.verdict !== null && <Verdict {...verdictOf({ ...task, verdict: task.verdict })} />}
          <span>{task.agent ?? 'nobody'}</span>
          {task.priority !== 'normal' && <span class={task.priority === 'low' ? '' : 'warning'}>{task.priority}</span>}
          {(task.status === 'deadletter' || task.status === 'cancelled') && <span>{task.status}</span>}
          {task.work !== null && <span>{task.work === 'waiting' ? 'to be applied' : task.work}</span>}
          <Ago at={task.lastTransitionAt} how="age" />
          {to.length > 0 && (
            <select
              aria-label={`Move ${numberOf(task.id)} to`}
              value=""
              onChange={({ currentTarget }) => {
                onMove(task.id, currentTarget.value as Status);
                currentTarget.value = '';
              }}
            >
              <option value="">move…</option>
              {to.map((status) => (
                <option key={status} value={status}>
                  {status}
                </option>
              ))}
            </select>
          )}
        </div>
      </article>
    </Row>
  );
}

interface Shown {
  readonly shown: readonly ListedTask[];
  readonly hasMore: boolean;
}

async function readTasks({ statuses }: Column, wanted: ColumnProps['wanted'], limit: number): Promise<Shown> {
  const pages = await Promise.all(
    statuses.map((status) => call('listTasks', { status, ...wanted, order: 'newest', limit })),
  );
  const all = pages.flatMap(({ tasks }) => tasks).sort((one, other) => (one.id < other.id ? 1 : -1));
  return { shown: all.slice(0, limit), hasMore: all.length > limit || pages.some(({ next }) => next !== null) };
}
