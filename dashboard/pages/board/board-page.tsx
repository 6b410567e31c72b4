import '../../style/board.css';
import { useSignal } from '@preact/signals';
import type { Overview } from '../../../src/api/overview/overview-contract.ts';
import { overview } from '../../node/overview.ts';
import { moveTask } from '../../node/task-actions.ts';
import { ActionNote, useAction } from '../../parts/action.tsx';
import { param, setParams } from '../../parts/route.ts';
import { Loaded } from '../../parts/states.tsx';
import { BoardColumn } from './board-column.tsx';
import { COLUMNS, type Status } from './columns.ts';

/** Every task by its status. Filter and search are in the address. */
export default function BoardPage() {
  return (
    <Loaded of={overview} what="The board">
      {(shown) => <Board overview={shown} />}
    </Loaded>
  );
}

function Board({ overview: { counts, moves, agents } }: { readonly overview: Overview }) {
  const dragged = useSignal<{ readonly id: string; readonly from: string } | null>(null);
  const action = useAction('board');
  const wanted = { text: param('q'), agent: param('agent') };
  const only = param('status');
  const columns = COLUMNS.filter(({ statuses }) => only === '' || statuses.some((status) => status === only));
  const move = (id: string, to: Status) => void action.run(async () => `${id} ${await moveTask(id, to)}`);
  return (
    <div class="board-page">
      <header class="page-head">
        <h1>Board</h1>
        <input
          type="search"
          placeholder="Words of a title"
          aria-label="Words of a title"
          value={wanted.text}
          onInput={({ currentTarget }) => setParams({ q: currentTarget.value }, { replace: true })}
        />
        <select
          aria-label="Agent"
          value={wanted.agent}
          onChange={({ currentTarget }) => setParams({ agent: currentTarget.value })}
        >
          <option value="">every agent</option>
          {agents.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <select
          aria-label="Status"
          value={only}
          onChange={({ currentTarget }) => setParams({ status: currentTarget.value })}
        >
          <option value="">every status</option>
          {COLUMNS.flatMap(({ statuses }) => statuses).map((status) => (
            <option key={status} value={status}>
              {status}
            </option>
          ))}
        </select>
        <ActionNote action={action} />
      </header>
      <div class="board">
        {columns.map((column) => (
          <BoardColumn
            key={column.title}
            column={column}
            total={column.statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0)}
            wanted={wanted}
            moves={moves}
            dragged={dragged}
            onMove={move}
          />
        ))}
      </div>
    </div>
  );
}
