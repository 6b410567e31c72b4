import '../../../../style/diff.css';
import type { DiffAnswer } from '../../../../../src/api/order/order-contract.ts';
import { call } from '../../../../node/call-node.ts';
import { NodeError } from '../../../../node/node-error.ts';
import { useResource } from '../../../../node/resource.ts';
import { counted } from '../../../../parts/format.ts';
import { Failed, Skeleton } from '../../../../parts/states.tsx';
import type { PanelProps } from '../evidence-pane.tsx';
import { commentsOf } from '../line-comments.ts';
import { FileDiff } from './file-diff.tsx';

/** Shown at once are as many files as a person reads at once; the others are opened one by one. */
const OPEN_LINES_MAX = 400;

/** The changes of the work, file by file, with comments on lines. */
export default function DiffPanel({ shown: { task, report }, evidence }: PanelProps) {
  const diff = useResource(
    `diff-${task.id}-${task.revision}-${report?.isOver}`,
    () => call('diffWork', { task: task.id, list: true }),
    ({ taskId, type }) => taskId === task.id && type === 'workspace.recorded',
  );
  const value = diff.value.value;
  if (value === null) {
    const error = diff.error.value;
    if (error === null) return <Skeleton />;
    if (error instanceof NodeError && report?.isOver !== true) {
      return <p class="empty">No turn has changed a file yet.</p>;
    }
    return <Failed error={error} what="The diff" onRetry={() => void diff.refresh()} />;
  }
  const judging = new Set(evidence.value.value?.oldTests?.files ?? []);
  return <Files task={task.id} canComment={task.status === 'review'} diff={value} judging={judging} />;
}

interface FilesProps {
  readonly task: string;
  readonly canComment: boolean;
  readonly diff: DiffAnswer;
  readonly judging: ReadonlySet<string>;
}

function Files({ task, canComment, diff, judging }: FilesProps) {
  const { files, git, ignored } = diff;
  const sum = (of: 'added' | 'removed') => files.reduce((total, file) => total + (file[of] ?? 0), 0);
  const comments = commentsOf(task).value;
  let open = 0;
  return (
    <div class="diff">
      <p class="diff-sum">
        <strong>{counted(files.length, 'file')}</strong> <span class="added">+{sum('added')}</span>{' '}
        <span class="removed">−{sum('removed')}</span>
        {comments.length > 0 && (
          <span class="warning"> {counted(comments.length, 'comment')} to send back with it</span>
        )}
        {canComment && comments.length === 0 && <span class="muted"> click a line number to comment</span>}
      </p>
      {files.length === 0 && <p class="empty">The work changed no file that git records.</p>}
      {files.map((file, at) => {
        const lines = (file.added ?? 0) + (file.removed ?? 0);
        open += lines;
        return (
          <FileDiff
            key={file.path}
            task={task}
            file={file}
            state={diff.to}
            at={at}
            isOpenAtFirst={open <= OPEN_LINES_MAX || at === 0}
            isJudging={judging.has(file.path)}
            canComment={canComment}
          />
        );
      })}
      {[...git, ...ignored].map((sentence) => (
        <p key={sentence} class="muted">
          {sentence}
        </p>
      ))}
    </div>
  );
}
