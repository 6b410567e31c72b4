import { useState } from 'preact/hooks';
import type { PointView, RewindPreviewView } from '../../../../src/api/trace/trace-contract.ts';
import { type Action, ActionButton, ActionNote, useAction } from '../../../parts/action.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { counted } from '../../../parts/format.ts';
import { setParams } from '../../../parts/route.ts';
import { At } from '../../../parts/time.tsx';
import { pointText, previewRewind, rewind } from './points.ts';

interface PointBarProps {
  readonly task: string;
  readonly point: PointView | null;
  readonly points: readonly PointView[];
  readonly onChanged: () => void;
}

/** The state that was chosen, and the way back to it: the difference is shown before anything changes. */
export function PointBar({ task, point, points, onChanged }: PointBarProps) {
  const action = useAction(task);
  const [preview, setPreview] = useState<RewindPreviewView | null>(null);
  if (points.length === 0) return null;
  const look = () =>
    void action.run(async () => {
      if (point) setPreview(await previewRewind(task, point.point));
      return '';
    });
  return (
    <span class="buttons">
      <label class="pick">
        <span class="unseen">A point to rewind to</span>
        <select value={point?.point ?? ''} onChange={({ currentTarget }) => setParams({ point: currentTarget.value })}>
          <option value="">Rewind to…</option>
          {points.map((each) => (
            <option key={each.point} value={each.point}>
              {each.point}: {pointText(each)}
            </option>
          ))}
        </select>
      </label>
      {point && (
        <>
          <span class="muted">
            <At at={point.at} />
          </span>
          <ActionButton action={action} onPress={look}>
            Rewind to here…
          </ActionButton>
        </>
      )}
      <ActionNote action={action} />
      {point && preview && (
        <RewindDialog
          task={task}
          point={point}
          preview={preview}
          onClose={() => setPreview(null)}
          onDone={onChanged}
          action={action}
        />
      )}
    </span>
  );
}

interface RewindProps {
  readonly task: string;
  readonly point: PointView;
  readonly preview: RewindPreviewView;
  readonly action: Action;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function RewindDialog({ task, point, preview, action, onClose, onDone }: RewindProps) {
  const [keeps, setKeeps] = useState(false);
  const isDirty = preview.dirty.length > 0;
  const go = async () => {
    onClose();
    if (await action.run(() => rewind(task, point.point, keeps))) onDone();
  };
  return (
    <Dialog title={`Rewind to point ${point.point}, ${pointText(point)}`} onClose={onClose} isWide>
      <div class="ask">
        <p>
          {counted(preview.files.length, 'file')} in <code>{preview.folder}</code> will change, and the task will be{' '}
          <strong>{preview.status}</strong>. What is there now is saved first, and can be rewound to.
        </p>
        {preview.notes.map((note) => (
          <p key={note} class="muted">
            {note}
          </p>
        ))}
        {isDirty && (
          <label class="check-field">
            <input type="checkbox" checked={keeps} onChange={({ currentTarget }) => setKeeps(currentTarget.checked)} />
            <span class="warning">
              Replace {counted(preview.dirty.length, 'file')} that somebody changed since, and save those changes:{' '}
              {preview.dirty.join(', ')}
            </span>
          </label>
        )}
        <DiffLines text={preview.text} />
        <footer>
          <button type="button" class="button plain" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            class="button main"
            aria-disabled={isDirty && !keeps}
            onClick={() => (!isDirty || keeps) && void go()}
          >
            Rewind
          </button>
        </footer>
      </div>
    </Dialog>
  );
}

const LINES_MAX = 400;

/** The difference in short; the whole of it is in the files after the rewind. */
function DiffLines({ text }: { readonly text: string }) {
  const lines = text.split('\n');
  return (
    <pre class="diff-lines">
      {lines.slice(0, LINES_MAX).map((line, at) => (
        <span key={at} class={line.startsWith('+') ? 'plus' : line.startsWith('-') ? 'minus' : ''}>
          {`${line}\n`}
        </span>
      ))}
      {lines.length > LINES_MAX && `… ${lines.length - LINES_MAX} more lines`}
    </pre>
  );
}
