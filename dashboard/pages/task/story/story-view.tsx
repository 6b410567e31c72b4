import { useEffect, useMemo, useState } from 'preact/hooks';
import { withoutColours } from '../../../node/safe-json.ts';
import { counted } from '../../../parts/format.ts';
import { param, setParams } from '../../../parts/route.ts';
import { Failed, Skeleton } from '../../../parts/states.tsx';
import { VirtualList } from '../../../parts/virtual-list.tsx';
import type { StoryItem } from './story-item.ts';
import { StoryRow } from './story-row.tsx';
import { TaskEvents } from './task-events.ts';

/** Everything that happened in a task, in order: it opens at its end and can be walked from its start. */
export function StoryView({ task }: { readonly task: string }) {
  const events = useTaskEvents(task);
  const [search, setSearch] = useState('');
  const part = events.part.value;
  if (part === null) {
    if (events.error.value === null) return <Skeleton />;
    return <Failed error={events.error.value} what="The story" onRetry={() => void events.fromEnd()} />;
  }
  const items = search === '' ? part.items : part.items.filter((item) => saysIt(item, search.toLowerCase()));
  const at = Number(param('at')) || null;
  return (
    <section class="story" aria-label="Story">
      <header class="pane-head">
        <h2>Story</h2>
        <input
          type="search"
          placeholder="Search the story"
          aria-label="Search the story"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        {search !== '' && <span class="muted">{counted(items.length, 'place')}</span>}
        <span class="space" />
        <Walk events={events} />
      </header>
      {items.length === 0 ? (
        <p class="empty">{search === '' ? 'Nothing has happened yet.' : 'Nothing in the part that is read.'}</p>
      ) : (
        <VirtualList
          items={items}
          keyOf={(item) => item.id}
          estimate={96}
          label="Everything that happened"
          followsEnd={!part.hasLater && search === ''}
          shown={at === null ? null : (items.findLast(({ id }) => id <= at)?.id ?? null)}
          row={(item) => <StoryRow item={item} task={task} isShown={item.id === at} />}
        />
      )}
    </section>
  );
}

function useTaskEvents(task: string): TaskEvents {
  const events = useMemo(() => new TaskEvents(task), [task]);
  useEffect(() => {
    const at = Number(param('at')) || null;
    void events.fromEnd().then(() => {
      if (at !== null && !events.has(at)) void events.from(Math.max(1, at - 50));
    });
    return events.follow();
  }, [events]);
  return events;
}

/** The ways through a long story. */
function Walk({ events }: { readonly events: TaskEvents }) {
  const part = events.part.value;
  if (!part) return null;
  const { hasEarlier, hasLater } = part;
  const toEnd = () => {
    setParams({ at: '' });
    void events.fromEnd();
  };
  return (
    <span class="buttons">
      {hasEarlier && (
        <>
          <button type="button" class="button plain small" onClick={() => void events.from(0)}>
            From the start
          </button>
          <button type="button" class="button plain small" onClick={() => void events.earlier()}>
            Earlier
          </button>
        </>
      )}
      {hasLater && (
        <>
          <button type="button" class="button plain small" onClick={() => void events.later()}>
            Later
          </button>
          <button type="button" class="button plain small" onClick={toEnd}>
            To the end
          </button>
        </>
      )}
    </span>
  );
}

function saysIt(item: StoryItem, words: string): boolean {
  return withoutColours(textsOf(item).join('\n')).toLowerCase().includes(words);
}

/** All texts of an item, as they are shown. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
