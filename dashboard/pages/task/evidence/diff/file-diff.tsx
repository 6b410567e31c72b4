import { useEffect, useRef, useState } from 'preact/hooks';
import type { DiffAnswer } from '../../../../../src/api/order/order-contract.ts';
import { call } from '../../../../node/call-node.ts';
import { useResource } from '../../../../node/resource.ts';
import { askText } from '../../../../parts/ask.tsx';
import { param } from '../../../../parts/route.ts';
import { Loaded } from '../../../../parts/states.tsx';
import { addComment } from '../line-comments.ts';
import { HunksView } from './hunks-view.tsx';

type ChangedFile = DiffAnswer['files'][number];

interface FileDiffProps {
  readonly task: string;
  readonly file: ChangedFile;
  /** The commit that it is shown as of: a running task moves on. */
  readonly state: string;
  /** Its place in the list, by which the node finds it. */
  readonly at: number;
  readonly isOpenAtFirst: boolean;
  readonly isJudging: boolean;
  readonly canComment: boolean;
}

/** One file: its name and size, and its hunks once it is open. */
export function FileDiff(props: FileDiffProps) {
  const { file, isOpenAtFirst, isJudging } = props;
  const isMeant = isNamed(file.path);
  const [isOpen, setOpen] = useState(isOpenAtFirst || isMeant);
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!isMeant) return;
    setOpen(true);
    box.current?.scrollIntoView({ block: 'start' });
  }, [isMeant]);
  return (
    <details class="file" ref={box} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="mono path" title={file.path}>
          {file.path}
        </span>
        <span class="muted">{file.status}</span>
        <span class="lines">
          {file.added === null ? (
            <span class="muted">binary</span>
          ) : (
            <>
              <span class="added">+{file.added}</span> <span class="removed">−{file.removed}</span>
            </>
          )}
        </span>
        {isJudging && <span class="warning">! judges the work</span>}
      </summary>
      {isOpen && <Hunks {...props} />}
    </details>
  );
}

/** A chip of the story names a file by the path that its agent used. */
function isNamed(path: string): boolean {
  const wanted = param('file');
  return wanted !== '' && (wanted === path || wanted.endsWith(`/${path}`));
}

function Hunks({ task, state, at, canComment, file: { path } }: FileDiffProps) {
  const text = useResource(`hunks-${task}-${state}-${path}`, async () => {
    return (await call('diffWork', { task, file: at })).text;
  });
  return (
    <>
      {canComment && (
        <p class="file-tools">
          <button type="button" class="button plain small" onClick={() => void askComment(task, path)}>
            Comment on a line…
          </button>
        </p>
      )}
      <Loaded of={text} what={path}>
        {(found) => <HunksView task={task} path={path} text={found} canComment={canComment} />}
      </Loaded>
    </>
  );
}

/** The same as a click on a line number, for a keyboard. */
async function askComment(task: string, path: string): Promise<void> {
  const label = 'The number of the line, a colon, and your comment (12: rename this)';
  const given = await askText({ title: `Comment on ${path}`, label, submit: 'Add' });
  const [place = '', line] = /^\s*(\d+)\s*:/.exec(given ?? '') ?? [];
  const text = (given ?? '').slice(place.length).trim();
  if (line !== undefined && text !== '') addComment(task, { path, line: Number(line), text });
}
