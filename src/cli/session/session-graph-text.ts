import type { SessionTaskView } from '../../api/session/session-contract.ts';
import { visible } from '../output/visible.ts';

export const GRAPH_FORMATS = ['mermaid', 'dot'] as const;
export type GraphFormat = (typeof GRAPH_FORMATS)[number];

type Task = Pick<SessionTaskView, 'task_id' | 'agent' | 'state' | 'depends_on' | 'parent_task_id'>;

/** The graph of a session: solid from a task to those that waited for it, dashed from a parent to the tasks it delegated. */
export function sessionGraphText(tasks: readonly Task[], format: GraphFormat): string {
  const nodes = new Map(tasks.map(({ task_id: id }, at) => [id, `t${at + 1}`]));
  const edges = tasks.flatMap(({ task_id: id, depends_on: needed, parent_task_id: parent }) => [
    ...needed.map((from) => ({ from: nodes.get(from), to: nodes.get(id), isDelegation: false })),
    ...(parent === null ? [] : [{ from: nodes.get(parent), to: nodes.get(id), isDelegation: true }]),
  ]);
  const known = edges.filter(({ from }) => from !== undefined);
  if (format === 'mermaid') {
    const lines = tasks.map((task) => `  ${nodes.get(task.task_id)}["${mermaidText(labelOf(task))}"]`);
    const arrows = known.map(({ from, to, isDelegation }) => `  ${from} ${isDelegation ? '-.->' : '-->'} ${to}`);
    return ['flowchart TD', ...lines, ...arrows].join('\n');
  }
  const lines = tasks.map((task) => `  ${nodes.get(task.task_id)} [label="${dotText(labelOf(task))}"];`);
  const arrows = known.map(
    ({ from, to, isDelegation }) => `  ${from} -> ${to}${isDelegation ? ' [style=dashed]' : ''};`,
  );
  return ['digraph session {', ...lines, ...arrows, '}'].join('\n');
}

function labelOf({ task_id: id, agent, state }: Task): string {
  return visible([id, agent ?? '', state].filter((part) => part !== '').join(' · '));
}

/** Names come from outside: nothing in them may end the label. */
function mermaidText(text: string): string {
  return text.replaceAll(/["#<>&`\\[\]]/g, (sign) => `#${sign.codePointAt(0)};`);
}

function dotText(text: string): string {
  return text.replaceAll(/["\\]/g, '\\$&');
}
