import { numberOf } from '../../parts/format.ts';

/** The number and title of a task, as a link to its page. */
export function TaskLink({ id, title, panel = '' }: { id: string; title: string; panel?: string }) {
  return (
    <a class="task-link" href={`/tasks/${encodeURIComponent(id)}${panel}`} title={`${id}  ${title}`}>
      <span class="number">{numberOf(id)}</span>
      <span class="title">{title}</span>
    </a>
  );
}
