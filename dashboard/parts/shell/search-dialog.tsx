import { useEffect, useRef, useState } from 'preact/hooks';
import type { SearchAnswer } from '../../../src/api/overview/overview-contract.ts';
import { call } from '../../node/call-node.ts';
import { Dialog } from '../dialog.tsx';
import { numberOf } from '../format.ts';
import { goTo } from '../route.ts';
import { Ago } from '../time.tsx';

const PAUSE_MS = 150;

interface Hit {
  readonly href: string;
  readonly key: string;
}

/** Tasks by words or number, and who last changed a file. */
export function SearchDialog({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState<SearchAnswer | null>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (text.trim() === '') {
      setFound(null);
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      call('search', { text }, { signal: stop.signal }).then(setFound, () => {
        // Typed on, or the node is away: the bar says so.
      });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  const open = ({ href }: Hit) => {
    onClose();
    goTo(href);
  };
  const [first] = hitsOf(found);
  return (
    <Dialog title="Search" onClose={onClose}>
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          if (first) open(first);
        }}
      >
        <input
          ref={field}
          type="search"
          aria-label="Words of a title, a number, or a path"
          placeholder="Words of a title, a number, or a path"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        {found && <Found found={found} onOpen={open} />}
      </form>
    </Dialog>
  );
}

function hitsOf(found: SearchAnswer | null): readonly Hit[] {
  if (!found) return [];
  return [
    ...found.tasks.map(({ id }) => ({ href: `/tasks/${id}`, key: id })),
    ...found.files.map(({ task, path }) => ({
      href: `/tasks/${task}?show=diff&file=${encodeURIComponent(path)}`,
      key: `${task} ${path}`,
    })),
  ];
}

function Found({ found, onOpen }: { readonly found: SearchAnswer; readonly onOpen: (hit: Hit) => void }) {
  const { tasks, files, lookedAt } = found;
  if (tasks.length + files.length === 0) {
    return (
      <p class="muted">Nothing found. Files of the newest {lookedAt.toLocaleString('en')} tasks were looked at.</p>
    );
  }
  const hits = hitsOf(found);
  const open = (at: number) => () => {
    const hit = hits[at];
    if (hit) onOpen(hit);
  };
  return (
    <ul class="hits">
      {tasks.map(({ id, title, status, agent }, at) => (
        <li key={id}>
          <button type="button" onClick={open(at)}>
            <span class="muted">{numberOf(id)}</span> <span class="hit-title">{title}</span>
            <span class="muted">
              {status} {agent ?? ''}
            </span>
          </button>
        </li>
      ))}
      {files.map(({ path, task, title, agent, status, at }, index) => (
        <li key={`${task} ${path}`}>
          <button type="button" onClick={open(tasks.length + index)}>
            <span class="mono hit-title">{path}</span>
            <span class="muted">
              {status.toLowerCase()} by {agent ?? 'nobody'} in {numberOf(task)} {title}, <Ago at={at} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
