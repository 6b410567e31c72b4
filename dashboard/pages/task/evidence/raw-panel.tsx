import { useEffect, useMemo, useState } from 'preact/hooks';
import { counted } from '../../../parts/format.ts';
import { Failed, Skeleton } from '../../../parts/states.tsx';
import { colouredParts } from '../../../parts/terminal-colours.ts';
import { VirtualList } from '../../../parts/virtual-list.tsx';
import type { PanelProps } from './evidence-pane.tsx';
import { RawLog } from './raw-log.ts';

/** The output of the agents' programs, as they printed it: with the colours of a terminal, and searchable. */
export default function RawPanel({ shown: { task, report } }: PanelProps) {
  const log = useMemo(() => new RawLog(task.id), [task.id]);
  const [search, setSearch] = useState('');
  useEffect(() => {
    void log.begin();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && report?.isOver !== true) void log.more();
    }, 1_000);
    return () => clearInterval(timer);
  }, [log, report?.isOver]);
  const lines = log.lines.value;
  if (lines === null)
    return log.error.value === null ? <Skeleton /> : <Failed error={log.error.value} what="The log" />;
  const words = search.toLowerCase();
  const shown = words === '' ? lines : lines.filter(({ text }) => text.toLowerCase().includes(words));
  return (
    <div class="raw">
      <div class="raw-head">
        <input
          type="search"
          placeholder="Search the output"
          aria-label="Search the output"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <span class="muted">
          {words === '' ? '' : `${counted(shown.length, 'line')} of `}
          {counted(lines.length, 'line')}
        </span>
        {log.hasEarlier.value && (
          <button type="button" class="button plain small" onClick={() => void log.earlier()}>
            Earlier
          </button>
        )}
      </div>
      {shown.length === 0 ? (
        <p class="empty">{words === '' ? 'Nothing was printed.' : 'No such line in the part that is read.'}</p>
      ) : (
        <VirtualList
          items={shown}
          keyOf={({ id }) => id}
          estimate={18}
          label="Output"
          class="mono terminal"
          followsEnd={words === ''}
          row={({ text }) => (
            <span class="terminal-line">
              {colouredParts(text).map(({ content, classes }, at) => (
                <span key={at} class={classes}>
                  {content}
                </span>
              ))}
            </span>
          )}
        />
      )}
    </div>
  );
}
