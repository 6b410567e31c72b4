import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import {
  type ChangeData,
  computeNewLineNumber,
  Decoration,
  Diff,
  type FileData,
  getChangeKey,
  Hunk,
  type HunkData,
  type HunkTokens,
  markEdits,
  parseDiff,
  tokenize,
} from 'react-diff-view';
import { addComment, commentsOf } from '../line-comments.ts';
import { colouring } from './colouring.ts';

interface HunksProps {
  readonly task: string;
  readonly path: string;
  /** The diff of one file, as git writes it. */
  readonly text: string;
  readonly canComment: boolean;
}

/** Lines of a file that are coloured; a longer diff is shown at once and plain. */
const COLOURED_LINES_MAX = 1_500;

/** The hunks of one file with the words that changed, colours, and comments below their lines. */
export function HunksView({ task, path, text, canComment }: HunksProps) {
  const file = useMemo(() => parseDiff(text, { nearbySequences: 'zip' })[0], [text]);
  const tokens = useMemo(() => (file ? tokensOf(file, path) : undefined), [file, path]);
  const [editing, setEditing] = useState<number | null>(null);
  if (!file || file.hunks.length === 0) return <p class="empty">{emptyText(text)}</p>;
  const widgets = widgetsOf(file, { task, path, editing, onDone: () => setEditing(null) });
  const gutterEvents = canComment
    ? { onClick: ({ change }: { change: ChangeData | null }) => setEditing(change ? lineOf(change) : null) }
    : {};
  return (
    <Diff
      viewType="unified"
      diffType={file.type}
      hunks={file.hunks}
      tokens={tokens ?? null}
      widgets={widgets as never}
      gutterEvents={gutterEvents as never}
      className={canComment ? 'commented' : ''}
    >
      {
        ((hunks: readonly HunkData[]) =>
          hunks.flatMap((hunk) => [
            <Decoration key={`head-${hunk.content}`}>
              {(<div class="hunk-head">{hunk.content}</div>) as never}
            </Decoration>,
            <Hunk key={hunk.content} hunk={hunk} />,
          ])) as never
      }
    </Diff>
  );
}

function tokensOf(file: FileData, path: string): HunkTokens | undefined {
  const lines = file.hunks.reduce((sum, { changes }) => sum + changes.length, 0);
  if (lines > COLOURED_LINES_MAX) return undefined;
  const enhancers = [markEdits(file.hunks, { type: 'block' })];
  const language = colouring.languageOf(path);
  if (language === null) return tokenize(file.hunks, { enhancers });
  return tokenize(file.hunks, { highlight: true, language, refractor: colouring as never, enhancers });
}

interface CommentParts {
  readonly task: string;
  readonly path: string;
  readonly editing: number | null;
  readonly onDone: () => void;
}

/** Below each line that has a comment, or that is being commented on. */
function widgetsOf(file: FileData, { task, path, editing, onDone }: CommentParts): Record<string, ComponentChildren> {
  const comments = commentsOf(task).value.filter((comment) => comment.path === path);
  const widgets: Record<string, ComponentChildren> = {};
  for (const change of file.hunks.flatMap((hunk) => hunk.changes)) {
    const line = lineOf(change);
    if (line === null) continue;
    const comment = comments.find((each) => each.line === line);
    if (editing === line || comment) {
      widgets[getChangeKey(change)] = (
        <CommentBox
          text={comment?.text ?? ''}
          onKeep={(text) => {
            addComment(task, { path, line, text });
            onDone();
          }}
        />
      );
    }
  }
  return widgets;
}

/** The line in the file as the work left it; null for one that it removed. */
function lineOf(change: ChangeData): number | null {
  const line = computeNewLineNumber(change);
  return change.type === 'delete' || line < 1 ? null : line;
}

function CommentBox({ text, onKeep }: { readonly text: string; readonly onKeep: (text: string) => void }) {
  const [draft, setDraft] = useState(text);
  return (
    <form
      class="comment"
      onSubmit={(event) => {
        event.preventDefault();
        onKeep(draft.trim());
      }}
    >
      <textarea
        rows={2}
        aria-label="Comment on this line"
        value={draft}
        ref={(field) => {
          if (field && text === '' && draft === '') field.focus();
        }}
        onInput={({ currentTarget }) => setDraft(currentTarget.value)}
      />
      <span class="buttons">
        <button type="submit" class="button main small">
          {text === '' ? 'Add' : 'Change'}
        </button>
        <button type="button" class="button plain small" onClick={() => onKeep('')}>
          Remove
        </button>
      </span>
    </form>
  );
}

function emptyText(text: string): string {
  if (/^Binary files|GIT binary patch/m.test(text)) return 'A binary file.';
  if (/^(old mode|new mode)/m.test(text)) return 'Only its mode changed.';
  return /^rename /m.test(text) ? 'Only its name changed.' : 'Nothing to show.';
}
