import { At } from '../../../parts/time.tsx';
import type { PanelProps } from './evidence-pane.tsx';

/** The task itself: its words and how it is to be done. */
export function AboutPanel({ shown: { task, report } }: PanelProps) {
  const { body, priority, createdBy, createdAt, tags, role, resource, file } = task;
  return (
    <div class="about">
      <pre class="body">{body.trim() === '' ? task.title : body}</pre>
      <dl class="pairs">
        <dt>name</dt>
        <dd class="mono">{task.id}</dd>
        <dt>priority</dt>
        <dd>{priority}</dd>
        <dt>created</dt>
        <dd>
          <At at={createdAt} /> by {createdBy}
        </dd>
        <dt>review</dt>
        <dd>{task.metadata.reviewRequired === false ? 'not required' : 'required'}</dd>
        {role !== null && (
          <>
            <dt>role</dt>
            <dd>{role}</dd>
          </>
        )}
        {tags.length > 0 && (
          <>
            <dt>tags</dt>
            <dd>{tags.join(', ')}</dd>
          </>
        )}
        {resource !== null && (
          <>
            <dt>resource</dt>
            <dd>{resource}</dd>
          </>
        )}
        <dt>file</dt>
        <dd class="mono">{file}</dd>
        {report?.workplace && (
          <>
            <dt>{report.workplace.kind === 'worktree' ? 'worktree' : 'folder'}</dt>
            <dd class="mono">{report.workplace.folder}</dd>
          </>
        )}
      </dl>
    </div>
  );
}
