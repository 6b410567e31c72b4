import '../../style/task.css';
import { useMemo } from 'preact/hooks';
import type { EventView, TaskDetail } from '../../../src/api/contract.ts';
import type { OrderReport } from '../../../src/api/order/order-contract.ts';
import { call } from '../../node/call-node.ts';
import { NodeError } from '../../node/node-error.ts';
import { useResource } from '../../node/resource.ts';
import { goTo, param, withParams } from '../../parts/route.ts';
import { useKeys } from '../../parts/shell/keys.ts';
import { Loaded } from '../../parts/states.tsx';
import type { PageProps } from '../page-table.tsx';
import { ReviewersDialog } from './ask-reviewers.tsx';
import { EvidencePane } from './evidence/evidence-pane.tsx';
import { StoryView } from './story/story-view.tsx';
import { TaskHead } from './task-head.tsx';
import { Timeline } from './timeline/timeline.tsx';

export interface ShownTask {
  readonly task: TaskDetail;
  /** Null for a task that was never given to an agent. */
  readonly report: OrderReport | null;
}

/** One task: its verdict, its story, the evidence and the timeline. */
export default function TaskPage({ name }: PageProps) {
  const shown = useResource(
    name,
    () => readTask(name),
    (event) => changes(event),
  );
  useKeys([{ keys: 'd', does: 'diff', run: () => goTo(withParams({ show: 'diff' })) }]);
  return (
    <Loaded of={shown} what={`Task ${name}`}>
      {(found) => <Shown shown={found} onChanged={() => void shown.refresh()} />}
    </Loaded>
  );
}

function Shown({ shown, onChanged }: { readonly shown: ShownTask; readonly onChanged: () => void }) {
  const { id } = shown.task;
  const pane = param('show') || 'story';
  return useMemo(
    () => (
      <div class="task" data-pane={pane}>
        <TaskHead shown={shown} onChanged={onChanged} />
        <div class="panes">
          <StoryView task={id} />
          <EvidencePane shown={shown} />
        </div>
        <Timeline shown={shown} onChanged={onChanged} />
        <ReviewersDialog />
      </div>
    ),
    [shown, pane],
  );
}

/** Turns and thoughts change the story, not the task. */
const QUIET = /^(run\.(thought|spoke|tool_|progressed|retried)|turn\.|trace\.)/;

function changes({ type }: EventView): boolean {
  return !QUIET.test(type);
}

async function readTask(name: string): Promise<ShownTask> {
  const task = await call('showTask', { task: name });
  try {
    return { task, report: await call('orderReport', { task: task.id }) };
  } catch (error) {
    if (error instanceof NodeError && error.code === 'not_running') return { task, report: null };
    throw error;
  }
}
