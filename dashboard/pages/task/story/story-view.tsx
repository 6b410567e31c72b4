import { useEffect, useMemo, useState } from 'preact/hooks';
import type { StoryItem } from '../../../../src/api/trace/story-contract.ts';
import { withoutColours } from '../../../node/safe-json.ts';
import { actorText } from '../../../parts/event-sentence.ts';
import { counted } from '../../../parts/format.ts';
import { param, setParams } from '../../../parts/route.ts';
import { Failed, Skeleton } from '../../../parts/states.tsx';
import { VirtualList } from '../../../parts/virtual-list.tsx';
import { joinOutput } from './join-output.ts';
import { lineText, StoryRow } from './story-row.tsx';
import { TaskStory } from './task-story.ts';

/** Everything that happened in a task, in order: it opens at its end and can be walked from its start. */
export function StoryView({ task }: { readonly task: string }) {
  const story = useTaskStory(task);
  const [search, setSearch] = useState('');
  const part = story.part.value;
  if (part === null) {
    if (story.error.value === null) return <Skeleton />;
    return <Failed error={story.error.value} what="The story" onRetry={() => void story.fromEnd()} />;
  }
  const told = joinOutput(part.items);
  const items = search === '' ? told : told.filter((item) => saysIt(item, search.toLowerCase()));
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
        <Walk story={story} />
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

function useTaskStory(task: string): TaskStory {
  const story = useMemo(() => new TaskStory(task), [task]);
  useEffect(() => {
    const at = Number(param('at')) || null;
    void story.fromEnd().then(() => {
      if (at !== null && !story.has(at)) void story.from(Math.max(1, at - 50));
    });
    return story.follow();
  }, [story]);
  return story;
}

/** The ways through a long story. */
function Walk({ story }: { readonly story: TaskStory }) {
  const part = story.part.value;
  if (!part) return null;
  const { hasEarlier, hasLater } = part;
  const toEnd = () => {
    setParams({ at: '' });
    void story.fromEnd();
  };
  return (
    <span class="buttons">
      {hasEarlier && (
        <>
          <button type="button" class="button plain small" onClick={() => void story.from(0)}>
            From the start
          </button>
          <button type="button" class="button plain small" onClick={() => void story.earlier()}>
            Earlier
          </button>
        </>
      )}
      {hasLater && (
        <>
          <button type="button" class="button plain small" onClick={() => void story.later()}>
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
  const texts = item.kind === 'line' ? [actorText(item.by), lineText(item), ...item.more] : textsOf(item);
  return withoutColours(texts.join('\n')).toLowerCase().includes(words);
}

/** All texts of an item, as they are shown. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
