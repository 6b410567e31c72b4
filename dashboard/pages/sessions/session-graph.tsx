import '@xyflow/react/dist/style.css';
import '../../style/graph.css';
import dagre from '@dagrejs/dagre';
import { Controls, type Edge, Handle, MarkerType, type Node, Position, ReactFlow } from '@xyflow/react';
import { useMemo } from 'preact/hooks';
import type { SessionTaskView, SessionView } from '../../../src/api/session/session-contract.ts';
import { moneyText, numberOf } from '../../parts/format.ts';
import { Verdict } from '../../parts/verdict.tsx';
import { stateOfMember } from './session-state.ts';

const WIDTH = 220;
const HEIGHT = 64;
const TYPES = { task: TaskNode };

/** The tasks of a session and the tasks each waits for. Each node is a link to its task; the table below has the same for readers of the screen. */
export default function SessionGraph({ session: { tasks } }: { readonly session: SessionView }) {
  const { nodes, edges } = useMemo(() => layout(tasks), [tasks]);
  return (
    <div class="graph" aria-label="Graph of the session" role="img">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={TYPES as never}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.1 }}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
      >
        {(<Controls showInteractive={false} />) as never}
      </ReactFlow>
    </div>
  );
}

function TaskNode({ data: { task } }: { readonly data: { readonly task: SessionTaskView } }) {
  return (
    <a class={`graph-node ${stateOfMember(task).kind}`} href={`/tasks/${task.id}`} title={task.title} tabIndex={-1}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <span class="graph-title">
        <span class="muted">{numberOf(task.id)}</span> {task.title}
      </span>
      <span class="graph-facts">
        <Verdict {...stateOfMember(task)} /> <span class="muted">{task.agent ?? ''}</span>
        {task.cost > 0 && <span class="muted">{moneyText(task.cost)}</span>}
      </span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </a>
  );
}

/** Left to right, by dependencies and by parents. */
function layout(tasks: readonly SessionTaskView[]): { readonly nodes: Node[]; readonly edges: Edge[] } {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 16, ranksep: 56 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const task of tasks) graph.setNode(task.task_id, { width: WIDTH, height: HEIGHT });
  const edges = tasks.flatMap((task) => edgesTo(task, tasks));
  for (const { source, target } of edges) graph.setEdge(source, target);
  dagre.layout(graph);
  const nodes = tasks.map((task): Node => {
    const { x = 0, y = 0 } = graph.node(task.task_id) as { x?: number; y?: number };
    return { id: task.task_id, type: 'task', position: { x: x - WIDTH / 2, y: y - HEIGHT / 2 }, data: { task } };
  });
  return { nodes, edges };
}

function edgesTo(task: SessionTaskView, tasks: readonly SessionTaskView[]): Edge[] {
  const known = (id: string) => tasks.some(({ task_id: each }) => each === id);
  const after = task.depends_on.filter(known);
  const parent = task.parent_task_id !== null && known(task.parent_task_id) ? [task.parent_task_id] : [];
  return [...after, ...parent.filter((id) => !after.includes(id))].map((source) => ({
    id: `${source}→${task.task_id}`,
    source,
    target: task.task_id,
    markerEnd: { type: MarkerType.ArrowClosed },
    ...(parent.includes(source) && { style: { strokeDasharray: '4 4' } }),
  }));
}
