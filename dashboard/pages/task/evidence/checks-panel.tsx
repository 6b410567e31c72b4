import type { CheckView, Evidence, OldTestsView } from '../../../../src/api/order/order-contract.ts';
import { counted, durationText } from '../../../parts/format.ts';
import { LongText } from '../../../parts/long-text.tsx';
import { withParams } from '../../../parts/route.ts';
import { Loaded } from '../../../parts/states.tsx';
import { Shape } from '../../../parts/verdict.tsx';
import { checkKind } from '../story/story-row.tsx';
import type { PanelProps } from './evidence-pane.tsx';

const FILES_SHOWN_MAX = 10;

/** Each check before and after the work, and what it printed. */
export function ChecksPanel({ shown: { report }, evidence }: PanelProps) {
  if (report === null) return <p class="empty">No agent has worked on it.</p>;
  return (
    <Loaded of={evidence} what="The checks">
      {(found) => <Checks evidence={found} />}
    </Loaded>
  );
}

function Checks({ evidence }: { readonly evidence: Evidence }) {
  const last = evidence.attempts.findLast(({ checks }) => checks.length > 0);
  const after = last?.checks ?? [];
  const only = evidence.before.filter(({ id }) => !after.some((check) => check.id === id));
  if (after.length + only.length === 0) {
    return <p class="empty">No check was defined: the work is unchecked.</p>;
  }
  return (
    <div class="check-list">
      {after.map((check, at) => (
        <CheckPart key={at} before={evidence.before.find(({ id }) => id === check.id) ?? null} after={check} />
      ))}
      {only.map((check) => (
        <CheckPart key={check.id} before={check} after={null} />
      ))}
      {evidence.oldTests !== null && <ChangedTests tests={evidence.oldTests} />}
    </div>
  );
}

/** The files of the work that judge it, and whether it passes without them. */
function ChangedTests({ tests: { files, added = [], result, message } }: { readonly tests: OldTestsView }) {
  const how = added.length === 0 ? 'changed' : added.length === files.length ? 'added' : 'changed or added';
  return (
    <section class="check changed-tests">
      <h3 class="warning">
        ! The work {how} {counted(files.length, 'file')} that its checks use
      </h3>
      <p class="chips">
        {files.slice(0, FILES_SHOWN_MAX).map((path) => (
          <a key={path} class="file-chip mono" href={withParams({ show: 'diff', file: path })}>
            {path}
          </a>
        ))}
        {files.length > FILES_SHOWN_MAX && <span class="muted">and {files.length - FILES_SHOWN_MAX} more</span>}
      </p>
      {result === 'failed' ? (
        <p>
          <Shape kind="failed" /> without {files.length === 1 ? 'this change' : 'these changes'} a check fails:{' '}
          {message}
        </p>
      ) : result === 'passed' ? (
        <p>
          <Shape kind="checked" /> {message}
        </p>
      ) : (
        <p>
          <Shape kind="unchecked" /> not compared with the earlier versions: {message}
        </p>
      )}
    </section>
  );
}

function CheckPart({ before, after }: { readonly before: CheckView | null; readonly after: CheckView | null }) {
  const shown = after ?? before;
  if (!shown) return null;
  return (
    <section class="check">
      <h3>
        <code>{shown.id}</code>
      </h3>
      <div class="before-after">
        <Side title="before" check={before} />
        <Side title="after" check={after} />
      </div>
    </section>
  );
}

function Side({ title, check }: { readonly title: string; readonly check: CheckView | null }) {
  return (
    <div class="side">
      <div>
        <span class="muted">{title}</span>{' '}
        {check === null ? (
          <span class="muted">not run</span>
        ) : (
          <>
            <Shape kind={checkKind(check)} /> {check.message}
            <span class="muted"> {durationText(check.durationMs)}</span>
          </>
        )}
      </div>
      {check !== null && check.tail.trim() !== '' && (
        <LongText
          id={`check-${title}-${check.id}`}
          text={check.tail.trimEnd()}
          lines={title === 'before' ? 4 : 20}
          end
          isMono
        />
      )}
    </div>
  );
}
